import { resolve } from "node:path";
import { ensureCertificates } from "./certificates.ts";
import { writeConfigurations } from "./configurations.ts";

const [dir] = process.argv.slice(2);
if (dir === undefined) {
  process.stderr.write("the folder for certificates and configurations is expected as argument\n");
  process.exitCode = 1;
} else {
  await ensureCertificates(resolve(dir));
  writeConfigurations(resolve(dir));
  process.stdout.write(`certificates and configurations are in ${resolve(dir)}\n`);
}
