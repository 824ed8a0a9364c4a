import { keepCompiledCode } from "@orchernetes/component/code-cache";

keepCompiledCode();
// Only what is imported from here on is kept.
const { run } = await import("./run.ts");
process.exitCode = await run();
