import { createServer } from "node:net";

/** Claims something of this host under a name. Resolves to whether it was free. */
export type Claim = (name: string) => Promise<boolean>;

/**
 * Claims a name until this process ends: clusters that are started at the same moment choose different ports and addresses, though
 * nobody listens there yet. What was claimed is not free for the same process, either.
 *
 * A claim is an abstract socket, which the kernel frees with the process, however that ends, and which every network namespace has
 * for itself, as it has ports. Only Linux has them: elsewhere everything is free.
 */
export const claimOnHost: Claim = (name) => {
  if (process.platform !== "linux") return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const holder = createServer((socket) => socket.destroy());
    holder.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    holder.listen({ path: `\0orchernetes/${name}`, exclusive: true }, () => resolve(true));
    holder.unref();
  });
};
