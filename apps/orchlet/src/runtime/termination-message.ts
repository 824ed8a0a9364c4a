import type { ContainerStatus } from "@orchernetes/cri";
import { readRegularFile } from "@orchernetes/host";
import { parseLogLine } from "../util/log-line.ts";
import { terminationMessagePathAnnotation, terminationMessagePolicyAnnotation } from "./labels.ts";

/**
 * Maximum size of a termination message, in bytes. Source: field description of `terminationMessagePath` in core/v1.
 */
const maxBytes = 4096;
/** Limits of the part of the log that is used with the policy FallbackToLogsOnError. */
const logBytes = 2048;
const logLines = 80;
/**
 * Size of the part of the log file that is read, in bytes. It holds a complete entry, which runtimes limit to 16 KiB.
 */
const logWindowBytes = 20 * 1024;

/**
 * The termination message of an exited container: the runtime's message, and after it what the container wrote. Never throws.
 */
export async function readTerminationMessage(
  status: Pick<ContainerStatus, "annotations" | "mounts" | "logPath" | "exitCode" | "reason" | "message">,
): Promise<string> {
  const written = await writtenMessage(status);
  return [status.message, written].filter((text) => text !== "").join(": ");
}

/**
 * The content of the file at the termination message path; or, with the policy FallbackToLogsOnError and a non-zero exit code, the end of the
 * log.
 */
async function writtenMessage(status: Parameters<typeof readTerminationMessage>[0]): Promise<string> {
  const path = status.annotations[terminationMessagePathAnnotation];
  const mount = status.mounts.find(({ containerPath }) => path !== undefined && containerPath === path);
  if (mount !== undefined) {
    const text = (await readEnd(mount.hostPath, maxBytes)).toString("utf8");
    if (text !== "") return text;
  }
  const fallback = status.annotations[terminationMessagePolicyAnnotation] === "FallbackToLogsOnError";
  // A container that could not be started has no log.
  if (!fallback || status.exitCode === 0 || status.reason === "ContainerCannotRun" || status.logPath === "") return "";
  return endOfLog(await readEnd(status.logPath, logWindowBytes));
}

/** The end of the log's content. If the window contains a single incomplete entry, it is used as it is. */
function endOfLog(window: Buffer): string {
  // Latin-1 keeps every byte: runtimes split lines within characters.
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
