import { connect } from "node:tls";
import { startBenchServer } from "./src/servers/bench-server.ts";
import { targetOf } from "./src/load/run-load.ts";
import { cpuTimeUs } from "./src/compare/cpu-time.ts";
const theirs = await startBenchServer("embedded", { root: (process.env.OTHER ?? "/tmp/old-0dbc144") + "/" });
const ours = await startBenchServer("embedded");
const one = (t: any) => new Promise<void>((res, rej) => { const s = connect({ host: t.host, port: t.port, ca: t.ca, ALPNProtocols: ["http/1.1"] }, () => s.write(`GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.token}\r\n\r\n`)); s.once("data", () => { s.destroy(); res(); }); s.on("error", rej); });
const r: number[][] = [[], []];
for (let round = 0; round < 7; round++) for (const [i, s] of [theirs, ours].entries()) { const t = targetOf(s); const b = cpuTimeUs(s.pid); for (let k = 0; k < 120; k++) await one(t); r[i]!.push((cpuTimeUs(s.pid) - b) / 120); }
console.log("theirs", r[0]!.join(" "), "ours", r[1]!.join(" "));
await theirs.stop(); await ours.stop();
