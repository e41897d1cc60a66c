// Runs exported towers in ONNX Runtime and compares them with `ultr-run predict`.
// node onnx_runtime.cjs PACKAGES CASES: CASES is a folder with a folder a case: relevance.onnx,
// predicted.csv, and the documents: features.npy (float32 [documents, features]), or documents.csv
// (query, document, label, title, body) and vocabulary.txt.
const fs = require('fs');
const path = require('path');
const ort = require(path.join(process.argv[2], 'onnxruntime-web'));

const maxTokens = 24;  // of onnx_runtime_test.cmake
const batch = 32;      // documents that are padded to the longest of them

// Calls the model with the features of all documents.
async function fromFeatures(session, folder, documents) {
  const file = fs.readFileSync(path.join(folder, 'features.npy'));
  const numbers = file.subarray(10 + file.readUInt16LE(8));  // behind the header
  const features = new Float32Array(Uint8Array.from(numbers).buffer);
  const shape = [documents, features.length / documents];
  return [await session.run({features: new ort.Tensor('float32', features, shape)})];
}

// Makes the sequence of a document as docs/prediction.md says, and the types of its tokens.
function sequence(texts, tokenOf) {
  let ids = [2], types = [];
  texts.forEach((text, type) => {
    const words = text.split(' ').filter(word => word !== '');
    if (words.length === 0) return;
    if (types.length === 0) types.push(type);  // of [CLS]
    ids.push(...words.map(word => tokenOf.get(word) ?? 1), 3);
    types.push(...Array(words.length + 1).fill(type));
  });
  if (ids.length > maxTokens) ids = [...ids.slice(0, maxTokens - 1), 3];
  return {ids, types: types.slice(0, maxTokens)};
}

// Calls the model with the words of some documents at a time.
async function fromWords(session, folder) {
  const lines = name => fs.readFileSync(path.join(folder, name), 'utf8').trim().split('\n');
  const tokenOf = new Map(lines('vocabulary.txt').map((word, i) => [word, i + 5]));
  const documents = lines('documents.csv').slice(1).map(row => {
    const [query, , , title, body] = row.split(',');
    return sequence([query, title, body], tokenOf);
  });
  const results = [];
  for (let first = 0; first < documents.length; first += batch) {
    const its = documents.slice(first, first + batch);
    const tokens = Math.max(...its.map(({ids}) => ids.length));
    const padded = numbers => new ort.Tensor(
        'int64', BigInt64Array.from(its.flatMap(document => {
          const found = numbers(document);
          return [...found, ...Array(tokens - found.length).fill(0)].map(BigInt);
        })), [its.length, tokens]);
    results.push(await session.run({
      input_ids: padded(({ids}) => ids),
      token_type_ids: padded(({types}) => types),
      attention_mask: padded(({ids}) => ids.map(() => 1)),
    }));
  }
  return results;
}

async function compare(folder) {
  const session = await ort.InferenceSession.create(
      new Uint8Array(fs.readFileSync(path.join(folder, 'relevance.onnx'))));
  const rows = fs.readFileSync(path.join(folder, 'predicted.csv'), 'utf8').trim().split('\n');
  const column = rows[0].split(',').indexOf('relevance');
  const predicted = rows.slice(1).map(row => Number(row.split(',')[column]));
  const results = fs.existsSync(path.join(folder, 'features.npy')) ?
      await fromFeatures(session, folder, predicted.length) :
      await fromWords(session, folder);
  const relevance = [];
  for (const {relevance: {dims, data}} of results) {
    if (dims.length !== 1) throw new Error(`${folder}: relevance is [${dims}]; expected a vector`);
    relevance.push(...data);
  }
  if (relevance.length !== predicted.length)
    throw new Error(`${folder}: relevance of ${relevance.length}, not ${predicted.length}`);
  let worst = 0;
  predicted.forEach((expected, i) => {
    const difference = Math.abs(relevance[i] - expected);
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
