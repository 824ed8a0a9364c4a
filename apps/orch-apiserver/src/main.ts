import { keepCompiledCode } from "./code-cache.ts";

keepCompiledCode();
// Only what is imported from here on is kept.
const { run } = await import("./run.ts");
process.exitCode = await run();
