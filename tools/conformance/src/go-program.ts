import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Builds a program from the source of the suite, with the compiler that built the suite. Large ones take a minute or
 * more, so programs are kept beside the suite for later runs.
 *
 * @param folder - folder in which the suite was built
 * @param source - the program's package, relative to the suite's source tree, such as `./test/images/nonewprivs`, or absolute; the last
 * part names the program
 * @returns path of the program
 */
export async function buildGoProgram(folder: string, source: string): Promise<string> {
  const program = join(folder, basename(source));
  const built = await access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (built) return program;
  const gopath = join(folder, "k8s/.go");
  const own = isAbsolute(source);
  const cwd = own ? source : join(gopath, "src/k8s.io/kubernetes");
  await run("go", ["build", "-o", program, own ? "." : source], {
    cwd,
    env: {
      ...process.env,
      // The source tree is a link in GOPATH. Go takes the folder's name from here, and otherwise finds no package beside it.
      PWD: cwd,
      PATH: `${process.env.PATH}:/usr/lib/go-1.15/bin`,
      GOPATH: gopath,
      GO111MODULE: "off",
      CGO_ENABLED: "0",
    },
  });
  return program;
}
