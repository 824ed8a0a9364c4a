import type { ContainerStatus } from "@orchernetes/cri";
import { readRegularFile } from "@orchernetes/cri/host";
import { parseLogLine } from "../logs/log-line.ts";
import { terminationMessagePathAnnotation, terminationMessagePolicyAnnotation } from "./labels.ts";

const maxBytes = 4096;
/** With the policy FallbackToLogsOnError: this much of the end of the log. */
const logBytes = 2048;
const logLines = 80;
/** Runtimes split lines into entries of 16 KiB; this size holds a complete one. */
const logWindowBytes = 20 * 1024;

/**
 * Last words of a container that has ended: the file at its termination message path, else with the policy
 * FallbackToLogsOnError and a failure the end of its log, else what the runtime says. Never throws.
 */
export async function readTerminationMessage(
  status: Pick<ContainerStatus, "annotations" | "mounts" | "logPath" | "exitCode" | "message">,
): Promise<string> {
  const path = status.annotations[terminationMessagePathAnnotation];
  const mount = status.mounts.find(({ containerPath }) => path !== undefined && containerPath === path);
  if (mount !== undefined) {
    const text = (await readEnd(mount.hostPath, maxBytes)).toString("utf8");
    if (text !== "") return text;
  }
  const fallback = status.annotations[terminationMessagePolicyAnnotation] === "FallbackToLogsOnError";
  if (fallback && status.exitCode !== 0 && status.logPath !== "") {
    const text = endOfLog(await readEnd(status.logPath, logWindowBytes));
    if (text !== "") return text;
  }
  return status.message;
}

/** The end of what the entries say. An entry without its head is the rest of one that is longer than the window. */
function endOfLog(window: Buffer): string {
  // One character a byte: runtimes cut lines in the middle of characters.
  const lines = window
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
  const text = lines.slice(-logLines).map((line) => {
    const entry = parseLogLine(line);
    if (entry === undefined) return lines.length === 1 ? line : "";
    return entry.partial ? entry.text : `${entry.text}\n`;
  });
  return Buffer.from(text.join(""), "latin1").subarray(-logBytes).toString("utf8");
}

/** The end of a file that a container may have created; empty for a FIFO, a device or a link. */
async function readEnd(path: string, maxBytes: number): Promise<Buffer> {
  try {
    return await readRegularFile(path, { maxBytes, from: "end" });
  } catch {
    return Buffer.alloc(0);
  }
}
