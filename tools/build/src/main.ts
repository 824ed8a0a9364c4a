import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { buildBundles } from "./build-bundles.ts";
import { PROGRAMS } from "./programs.ts";

const write = (text: string): void => void process.stdout.write(text);

await yargs(hideBin(process.argv))
  .scriptName("npm run build --")
  .command(
    ["bundles [programs..]", "$0"],
    "Build a bundle per program in dist/",
    (command) =>
      command.positional("programs", {
        array: true,
        choices: PROGRAMS.map(({ name }) => name),
        default: PROGRAMS.map(({ name }) => name),
        describe: "Programs to build",
      }),
    ({ programs }) => buildBundles(programs, write),
  )
  .command(
    "client",
    "Build the npm package of the client in dist/",
    (command) => command,
    async () => {
      const { packClient } = await import("./client/pack-client.ts");
      write(` ✓ ${await packClient()}\n`);
    },
  )
  .strict()
  .version(false)
  .fail((message, error) => {
    throw error ?? new Error(message);
  })
  .parseAsync()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
