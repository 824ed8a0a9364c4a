/**
 * The shell program between the runtime and a container's process: either may end without the other. About 1 MB each; needs a POSIX sh, setsid, mkfifo, sleep, cat and mv.
 *
 * - Output goes to FIFOs the shim holds open: while no runtime reads, a container that fills one (64 KB) waits in its
 *   write, and nothing is lost or broken. (containerd's CRI plugin behaves in the same way.)
 * - When the process ends, the rest of its group is killed, like the rest of a PID namespace, the exit code
 *   is put into the file `exit`, and the shim waits at the FIFO `ack` until a runtime has read the last output.
 * - Standard input, when asked for, is a FIFO kept open by a `sleep`, whose end closes it.
 *
 * Arguments: the container's folder, then the command to run.
 */
export const shimScript = `
dir=$1
shift
trap : TERM INT HUP
exec 3<>"$dir/stdout" 4<>"$dir/stderr"
holder=
if [ -p "$dir/stdin" ]; then
  sleep 2147483647 5<>"$dir/stdin" >/dev/null 2>&1 3>&- 4>&- &
  holder=$!
  echo "$holder" >"$dir/stdin-holder.tmp"
  mv "$dir/stdin-holder.tmp" "$dir/stdin-holder"
  exec 0<"$dir/stdin"
fi
setsid "$@" >&3 2>&4 3>&- 4>&-
code=$?
exec 0</dev/null
if [ -n "$holder" ]; then kill "$holder" 2>/dev/null; fi
if [ -f "$dir/pid" ]; then
  leader=$(cat "$dir/pid")
  kill -KILL -- "-\${leader%% *}" 2>/dev/null
fi
echo "$code" >"$dir/exit.tmp"
mv "$dir/exit.tmp" "$dir/exit"
read -r done_ <"$dir/ack"
exit 0
`;

/**
 * Program for `node -e` that becomes the container's process: reads its settings from the file named by its argument,
 * deletes that file (it holds the environment), changes user and folder, writes its pid to the file `pid`, and replaces
 * itself by the command. A failure before that is reported in the file `error`.
 */
export const launcherScript = `
const fs = require("node:fs");
const file = process.argv[1];
const dir = require("node:path").dirname(file);
try {
  const config = JSON.parse(fs.readFileSync(file, "utf8"));
  fs.unlinkSync(file);
  // Node ignores these; caught signals are reset to their default when another program is started, ignored ones not.
  for (const signal of ["SIGPIPE", "SIGXFSZ"]) process.on(signal, () => {});
  if (config.groups !== undefined) process.setgroups(config.groups);
  const stat = fs.readFileSync("/proc/self/stat", "utf8");
  const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  process.chdir(config.cwd);
  fs.writeFileSync(dir + "/pid.tmp", process.pid + " " + startTime + "\\n");
  fs.renameSync(dir + "/pid.tmp", dir + "/pid");
  if (config.gid !== undefined) process.setgid(config.gid);
  if (config.uid !== undefined) process.setuid(config.uid);
  process.umask(0o022);
  process.execve(config.file, config.argv, config.env);
} catch (error) {
  fs.writeFileSync(dir + "/error.tmp", error.message);
  fs.renameSync(dir + "/error.tmp", dir + "/error");
  process.exitCode = 128;
}
`;
