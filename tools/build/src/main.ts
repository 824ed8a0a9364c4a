import { messageOf } from "@orchernetes/kernel";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { buildBundles } from "./build-bundles.ts";
import { bundleState } from "./commands.ts";
import { dist } from "./paths.ts";
import { DAEMONS, PROGRAMS, programNamed } from "./programs.ts";

const write = (text: string): void => void process.stdout.write(text);

/** Builds bundles, and puts the code that daemons compile at their start into theirs. */
async function buildWithCode(programs: readonly string[]): Promise<void> {
  await buildBundles(programs, write);
  const daemons = DAEMONS.filter((name) => programs.includes(name));
  if (daemons.length === 0) return;
  const { keepCode } = await import("./kept-code/keep-code.ts");
  const kept = await keepCode(daemons);
  write(kept.length === 0 ? "   no daemon's compiled code\n" : ` ✓ compiled code of ${kept.join(", ")}\n`);
}

const commands = yargs(hideBin(process.argv))
  .scriptName("npm run build --")
  .command(
    ["bundles [programs..]", "$0"],
    "Build a bundle per program in dist/",
    (command) =>
      command
        .positional("programs", {
          array: true,
          choices: PROGRAMS.map(({ name }) => name),
          default: PROGRAMS.map(({ name }) => name),
          describe: "Programs to build",
        })
        .option("code", {
          type: "boolean",
          default: true,
          describe: "Put the compiled code of daemons into their bundles, for which they run for ten seconds",
        })
        .option("outdated", {
          type: "boolean",
          default: false,
          describe: "Only those whose bundles are missing or do not hold what the sources hold now",
        }),
    async ({ programs, code, outdated }) => {
      const chosen = outdated ? programs.filter((name) => bundleState(name).type !== "current") : programs;
      await (code ? buildWithCode(chosen) : buildBundles(chosen, write));
    },
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
  .command(
    "debs",
    "Build the Debian packages in dist/debs",
    (command) => command,
    async () => {
      await buildWithCode(DAEMONS);
      const { buildDebs } = await import("./debian/build-debs.ts");
      for (const deb of await buildDebs(DAEMONS, `${dist}/debs`)) write(` ✓ ${deb}\n`);
    },
  )
  .command(
    "executables",
    "Build an executable file per daemon in dist/executables",
    (command) => command,
    async () => {
      const { buildExecutable } = await import("./executable/build-executable.ts");
      for (const name of DAEMONS) {
        await buildExecutable(programNamed(name), `${dist}/executables/${name}`);
        write(` ✓ ${dist}/executables/${name}\n`);
      }
    },
  )
  .command(
    "images",
    "Prepare dist/images, which container images are built from",
    (command) => command,
    async () => {
      const programs = PROGRAMS.map(({ name }) => name);
      await buildWithCode(programs);
      const { prepareImages } = await import("./images/prepare-images.ts");
      prepareImages(programs, `${dist}/images`);
      write(` ✓ ${dist}/images\n`);
      for (const name of programs)
        write(`   docker build --build-arg PROGRAM=${name} --tag orchernetes/${name}:1.27.0 ${dist}/images\n`);
    },
  )
  .strict()
  .version(false)
  .fail(false);

try {
  await commands.parseAsync();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
