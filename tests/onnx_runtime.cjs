// Runs exported towers in ONNX Runtime and compares them with `ultr-run predict`.
// node onnx_runtime.cjs PACKAGES CASES: CASES is a folder with a folder a case: relevance.onnx,
// features.npy (float32 [documents, features]) and predicted.csv.
const fs = require('fs');
const path = require('path');
const ort = require(path.join(process.argv[2], 'onnxruntime-web'));

async function compare(folder) {
  const session = await ort.InferenceSession.create(
      new Uint8Array(fs.readFileSync(path.join(folder, 'relevance.onnx'))));
  const rows = fs.readFileSync(path.join(folder, 'predicted.csv'), 'utf8').trim().split('\n');
  const column = rows[0].split(',').indexOf('relevance');
  const predicted = rows.slice(1).map(row => Number(row.split(',')[column]));
  const file = fs.readFileSync(path.join(folder, 'features.npy'));
  const numbers = file.subarray(10 + file.readUInt16LE(8));  // behind the header
  const features = new Float32Array(Uint8Array.from(numbers).buffer);
  const shape = [predicted.length, features.length / predicted.length];
  const result = await session.run({features: new ort.Tensor('float32', features, shape)});
  const relevance = result.relevance;
  if (relevance.dims.length !== 1 || relevance.dims[0] !== predicted.length)
    throw new Error(`${folder}: relevance is [${relevance.dims}]; expected [${predicted.length}]`);
  let worst = 0;
  predicted.forEach((expected, i) => {
    const difference = Math.abs(relevance.data[i] - expected);
    if (!(difference <= worst)) worst = difference;  // NaN is the worst
  });
  const spread = Math.max(...predicted) - Math.min(...predicted);
  console.log(`${path.basename(folder)}: ${predicted.length} documents, relevance spread ` +
              `${spread.toFixed(3)}, largest difference ${worst.toExponential(2)}`);
  if (!(worst <= 1e-5) || !(spread > 0.01)) throw new Error(`${folder}: expected at most 1e-5`);
}

(async () => {
  const cases = fs.readdirSync(process.argv[3]).sort();
  if (cases.length === 0) throw new Error('no cases');
  for (const name of cases) await compare(path.join(process.argv[3], name));
  process.exit(0);  // the runtime's threads would keep the process
})().catch(error => {
  console.error(error.message);
  process.exit(1);
});
