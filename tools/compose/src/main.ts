import { resolve } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { setUpAccess } from "./access.ts";
import { ensureCertificates } from "./certificates.ts";
import { writeConfigurations } from "./configurations.ts";
import { giveToServices } from "./owners.ts";

const commands = yargs(hideBin(process.argv))
  .scriptName("compose")
  .command(
    "files <folder>",
    "Write the certificates and configurations of the cluster into a folder",
    (command) => command.positional("folder", { type: "string", demandOption: true, describe: "Folder to write to" }),
    async ({ folder }) => {
      const path = resolve(folder);
      const { ca } = await ensureCertificates(path);
      await writeConfigurations(path, ca);
      if (process.getuid?.() === 0) giveToServices(path);
      process.stdout.write(`certificates and configurations are in ${path}\n`);
    },
  )
  .command(
    "access <config>",
    "Allow the API server to use the nodes' agents, and register the metrics server",
    (command) =>
      command.positional("config", {
        type: "string",
        demandOption: true,
        describe: "Client configuration of an administrator",
      }),
    async ({ config }) => {
      await setUpAccess(resolve(config));
      process.stdout.write("the API server may use the nodes' agents, and forwards the metrics API\n");
    },
  )
  .demandCommand(1, 1, "A command is needed: files or access.")
  .strict()
  .version(false)
  .fail(false);

try {
  await commands.parseAsync();
} catch (error) {
  process.stderr.write(`compose: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
