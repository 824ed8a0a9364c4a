import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Builds the aggregated API server from the source of the suite, with the compiler that built the suite. Takes a
 * minute or more, so the program is kept for later runs.
 *
 * @param folder - folder in which the suite was built
 * @returns path of the program
 */
export async function buildSampleApiServer(folder: string): Promise<string> {
  const program = join(folder, "sample-apiserver");
  const built = await access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (built) return program;
  const gopath = join(folder, "k8s/.go");
  await run("go", ["build", "-o", program, "./vendor/k8s.io/sample-apiserver"], {
    cwd: join(gopath, "src/k8s.io/kubernetes"),
    env: {
      ...process.env,
      PATH: `${process.env.PATH}:/usr/lib/go-1.15/bin`,
      GOPATH: gopath,
      GO111MODULE: "off",
      CGO_ENABLED: "0",
    },
  });
  return program;
}
