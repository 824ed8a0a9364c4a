import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { claimOnHost } from "./claims.ts";
import { createPortPicker, requireFree } from "./ports.ts";

const usual = 11_000 + (process.pid % 900);

/** Another process that chooses a port as `npm run up` does, and has not bound it. */
async function chooseElsewhere(): Promise<{ readonly port: number; readonly process: ChildProcess }> {
  const script = `
    import { createPortPicker } from ${JSON.stringify(new URL("ports.ts", import.meta.url).href)};
    console.log(await createPortPicker()(${usual}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [text] = await once(child.stdout, "data");
  return { port: Number(text), process: child };
}

test("processes that choose at the same moment choose different ports, until they end", async () => {
  const chosen = await Promise.all([chooseElsewhere(), chooseElsewhere()]);
  const pick = createPortPicker();
  const ports = [...chosen.map(({ port }) => port), await pick(usual), await pick(usual)];
  expect(new Set(ports).size).toBe(4);
  expect(ports).toContain(usual);
  await expect(requireFree(usual)).rejects.toThrow(`--port: something listens on 127.0.0.1:${usual} already`);
  const holder = chosen.find(({ port }) => port === usual)?.process;
  if (holder === undefined) throw new Error("one of the two that came first has the usual port");
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(await createPortPicker()(usual)).toBe(usual);
});

test("something is claimed once, and what has another name is free", async () => {
  const name = `test/${process.pid}`;
  const claims = [await claimOnHost(name), await claimOnHost(name), await claimOnHost(`${name}/other`)];
  expect(claims).toEqual([true, false, true]);
});
