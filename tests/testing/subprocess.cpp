#include "testing/subprocess.h"

#include <csignal>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testing/temporary_folder.h"

namespace ultr::testing {
namespace {

/// Returns the words of a command line, for exec.
std::vector<char*> words_of(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  return words;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::filesystem::path& working_folder) {
  const TemporaryFolder folder;
  const std::filesystem::path output = folder.path() / "output", errors = folder.path() / "errors";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, working_folder.c_str());

  pid_t process = 0;
  const int error = posix_spawn(&process, program.c_str(), &actions, nullptr,
                                words_of(program, arguments).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || waitpid(process, &status, 0) != process)
    throw std::runtime_error("cannot run " + program);
  return {exit_code_of(status), read_text(output), read_text(errors)};
}

RunningProgram::RunningProgram(const std::string& program,
                               const std::vector<std::string>& arguments,
                               const std::filesystem::path& working_folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  output_ = ends[0];
  fcntl(output_, F_SETPIPE_SZ, 4096);  // the smallest possible size
  const std::filesystem::path errors = folder_.path() / "errors";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, working_folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&process_, program.c_str(), &actions, &attributes,
                                words_of(program, arguments).data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(output_);
    throw std::runtime_error("cannot run " + program);
  }
}

RunningProgram::~RunningProgram() {
  if (process_ != 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(output_);
}

bool RunningProgram::read_some() {
  char bytes[256];
  const ssize_t count = ::read(output_, bytes, sizeof bytes);
  if (count > 0) read_.append(bytes, static_cast<std::size_t>(count));
  return count > 0;
}

void RunningProgram::read_until(std::string_view text) {
  while (read_.find(text) == std::string::npos)
    if (!read_some()) throw std::runtime_error("the program ended: " + finish().errors);
}

void RunningProgram::send(int signal) const { kill(process_, signal); }

Finished RunningProgram::finish() {
  while (read_some()) {
  }
  int status = 0;
  if (waitpid(process_, &status, 0) != process_) throw std::runtime_error("cannot wait");
  process_ = 0;
  killed_ = WIFSIGNALED(status);
  return {exit_code_of(status), read_, read_text(folder_.path() / "errors")};
}

}  // namespace ultr::testing
