import { resolve } from "node:path";
import { bindOrchletClient } from "./access.ts";
import { ensureCertificates } from "./certificates.ts";
import { writeConfigurations } from "./configurations.ts";
import { giveToServices } from "./owners.ts";

const [command, path] = process.argv.slice(2);
if (command === "files" && path !== undefined) {
  const { ca } = await ensureCertificates(resolve(path));
  await writeConfigurations(resolve(path), ca);
  if (process.getuid?.() === 0) giveToServices(resolve(path));
  process.stdout.write(`certificates and configurations are in ${resolve(path)}\n`);
} else if (command === "access" && path !== undefined) {
  await bindOrchletClient(resolve(path));
  process.stdout.write("the API server may use the nodes' agents\n");
} else {
  process.stderr.write(
    `found ${JSON.stringify([command, path])}; "files FOLDER" or "access CLIENT-CONFIGURATION" is expected\n`,
  );
  process.exitCode = 1;
}
