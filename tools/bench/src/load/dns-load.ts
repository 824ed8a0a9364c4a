import dgram from "node:dgram";
import packet from "dns-packet";
import { loadProgram } from "./load-program.ts";

/** Asks a DNS server over UDP for addresses of names, with a fixed number of questions under way. */
export interface DnsLoad {
  readonly port: number;
  readonly names: readonly string[];
  readonly concurrency: number;
  readonly seconds: number;
}

/** What was answered. Questions without an answer after a second count as lost. */
export interface DnsRate {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly lost: number;
}

const LOST_MS = 1000;

await loadProgram<DnsLoad>(async ({ port, names, concurrency, seconds }) => {
  const questions = names.map((name) => packet.encode({ type: "query", questions: [{ type: "A", name }] }));
  const socket = dgram.createSocket("udp4");
  await new Promise<void>((resolve) => socket.connect(port, "127.0.0.1", resolve));
  const sentAt = new Map<number, number>();
  const times: number[] = [];
  let [next, lost] = [0, 0];
  const ask = () => {
    const question = questions[next % questions.length] ?? Buffer.alloc(0);
    const id = next++ & 0xffff;
    question.writeUInt16BE(id, 0);
    sentAt.set(id, performance.now());
    socket.send(Buffer.from(question));
  };
  socket.on("message", (answer) => {
    const id = answer.readUInt16BE(0);
    const sent = sentAt.get(id);
    if (sent === undefined) return;
    sentAt.delete(id);
    times.push(performance.now() - sent);
    ask();
  });
  const timer = setInterval(() => {
    for (const [id, sent] of sentAt) {
      if (performance.now() - sent < LOST_MS) continue;
      sentAt.delete(id);
      lost++;
      ask();
    }
  }, LOST_MS / 4);
  for (let i = 0; i < concurrency; i++) ask();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  clearInterval(timer);
  socket.close();
  times.sort((a, b) => a - b);
  const p99Ms = times[Math.floor(times.length * 0.99)] ?? 0;
  return { perSecond: times.length / seconds, p99Ms, lost } satisfies DnsRate;
});
