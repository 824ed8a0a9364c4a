import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CertificateAuthority,
  type CertificatePair,
  createCertificateAuthority,
  generatePrivateKey,
  issueClientCertificate,
  issueServerCertificate,
  loadCertificateAuthority,
  privateKeyToPem,
} from "@orchernetes/tls";

/** Certificates of the cluster in containers, by the name of their files in `pki/`. */
const SERVING = {
  "orch-apiserver": ["orch-apiserver", "localhost", "127.0.0.1", "orchernetes.default.svc", "10.96.0.1"],
  "node-1-serving": ["node-1", "localhost", "127.0.0.1"],
} as const;

const CLIENTS = {
  admin: { commonName: "orchernetes-admin", organizations: ["system:masters"] },
  "to-nodes": { commonName: "orch-apiserver-orchlet-client", organizations: ["system:masters"] },
  "orch-scheduler": { commonName: "system:orch-scheduler", organizations: [] },
  "orch-controller-manager": { commonName: "system:orch-controller-manager", organizations: [] },
  "node-1": { commonName: "system:node:node-1", organizations: ["system:nodes"] },
} as const;

/** Makes what is missing in `DIR/pki`: an authority, serving and client pairs, the key of service accounts. */
export async function ensureCertificates(dir: string): Promise<void> {
  const pki = join(dir, "pki");
  mkdirSync(pki, { recursive: true, mode: 0o700 });
  const save = (name: string, { certPem, keyPem }: CertificatePair): void => {
    // The key goes last: a pair that was only half written is made again.
    writeFileSync(join(pki, `${name}.crt`), certPem);
    writeFileSync(join(pki, `${name}.key`), keyPem, { mode: 0o600 });
  };
  const isMissing = (name: string): boolean => !existsSync(join(pki, `${name}.key`));
  const authority = await ensureAuthority(pki, save);
  for (const [name, hosts] of Object.entries(SERVING))
    if (isMissing(name)) save(name, await issueServerCertificate(authority, { commonName: name, hosts }));
  for (const [name, subject] of Object.entries(CLIENTS))
    if (isMissing(name)) save(name, await issueClientCertificate(authority, subject));
  const accounts = join(pki, "service-account.key");
  if (!existsSync(accounts))
    writeFileSync(accounts, privateKeyToPem(await generatePrivateKey("ecdsa-p256")), { mode: 0o600 });
}

async function ensureAuthority(
  pki: string,
  save: (name: string, pair: CertificatePair) => void,
): Promise<CertificateAuthority> {
  const file = join(pki, "ca.crt");
  if (existsSync(join(pki, "ca.key")))
    return loadCertificateAuthority(
      { certPem: readFileSync(file, "utf8"), keyPem: readFileSync(join(pki, "ca.key"), "utf8") },
      file,
    );
  const authority = await createCertificateAuthority({ commonName: "orchernetes" });
  save("ca", authority);
  return authority;
}
