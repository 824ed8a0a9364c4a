import { once } from "node:events";
import { connect } from "node:tls";
import { silentLogger } from "@orchernetes/kernel";
import { type CertificatePair, createCertificateAuthority, issueServerCertificate } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { respond } from "./http.ts";
import { createSecureServing } from "./secure-serving.ts";

/** The name that the server shows, or the error of the handshake. */
async function shown(port: number): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect");
    return socket.getPeerX509Certificate()?.subject ?? "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    socket.destroy();
  }
}

test("a pair of the caller is served as soon as it exists, and after each change", async () => {
  const ca = await createCertificateAuthority({ commonName: "ca" });
  const issue = (commonName: string) => issueServerCertificate(ca, { commonName, hosts: ["127.0.0.1"] });
  let pair: CertificatePair | undefined;
  const listeners: (() => void)[] = [];
  const change = (next: CertificatePair) => {
    pair = next;
    for (const listener of listeners) listener();
  };
  const end = new AbortController();
  const serving = await createSecureServing(
    {
      bindAddress: "127.0.0.1",
      port: 0,
      tls: {
        pairName: "x",
        pair: { current: () => pair, onChange: (listener) => listeners.push(() => listener(pair, undefined)) },
      },
      logger: silentLogger,
      signal: end.signal,
    },
    (request, response) => respond(request, response, 200, {}, ""),
  );
  try {
    expect(await shown(serving.port)).toMatch(/handshake failure/);
    change(await issue("first"));
    expect(await shown(serving.port)).toBe("CN=first");
    change(await issue("second"));
    expect(await shown(serving.port)).toBe("CN=second");
  } finally {
    await serving.close();
    end.abort();
  }
});
