/**
 * The shell program between the runtime and a container. Either can exit without the other. Each uses about 1 MB and
 * needs a POSIX sh, setsid, mkfifo, sleep, cat and mv.
 *
 * - Output goes to FIFOs that the shim keeps open: while no runtime reads, a container that fills one (64 KB) waits
 *   in its write, and no output is lost. (The CRI plugin of containerd behaves in the same way.)
 * - When the process exits, the shim kills the rest of its group, as the kernel does in a PID namespace, writes the
 *   exit code to the file `exit`, and waits at the FIFO `ack` until a runtime has read the last output.
 * - Standard input, if requested, is a FIFO that a `sleep` keeps open; its exit closes the FIFO.
 *
 * Files are written under another name and then renamed, so that the runtime never reads half of one.
 *
 * Arguments: the folder of the container, then the command to run.
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
 * Program for `node -e` that becomes the process of the container. It reads its settings from the file in its
 * argument, deletes that file because it contains the environment, changes user and folder, writes its pid to the
 * file `pid`, and replaces itself with the command. If a step fails, it writes the reason to the file `error`.
 */
export const launcherScript = `
const fs = require("node:fs");
const file = process.argv[1];
const dir = require("node:path").dirname(file);
try {
  const config = JSON.parse(fs.readFileSync(file, "utf8"));
  fs.unlinkSync(file);
  // Node ignores these. execve resets caught signals to their default, but not ignored ones.
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
