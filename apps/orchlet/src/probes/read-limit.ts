import type { Socket } from "node:net";

/** More than a check reads of any response, with its headers and what arrives before the connection is closed, in bytes. */
const maxReadBytes = 1024 * 1024;
const intervalMs = 100;

/**
 * Watches how much the server of a check sends. Bodies have limits of their own, but parsers accept any number of interim responses,
 * zeros in the size of a chunk, or frames that nobody asked for. The server is part of an untrusted container, and its check may have a
 * time limit of days.
 *
 * @param socket the connection; undefined while there is none
 * @param onExceeded called at most once
 * @returns ends the watch
 */
export function limitRead(
  socket: () => Pick<Socket, "bytesRead"> | null | undefined,
  onExceeded: (message: string) => void,
): () => void {
  const timer = setInterval(() => {
    if ((socket()?.bytesRead ?? 0) <= maxReadBytes) return;
    clearInterval(timer);
    onExceeded(`the server has sent more than ${maxReadBytes} bytes`);
  }, intervalMs).unref();
  return () => clearInterval(timer);
}
