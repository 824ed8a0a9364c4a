import type { NamedFiles } from "@orchernetes/component";
import { flagSection } from "@orchernetes/component";
import { follow, inOrder } from "@orchernetes/controller";
import { type CertificateAuthority, loadCertificateAuthority, loadServingPair, watchFiles } from "@orchernetes/tls";
import { defineController, type SettingsSource } from "../../shared/define-controller.ts";
import { reconcile, type Signer, type SigningAction, type SigningState, sign } from "./sign.ts";
import { type SignerName, signerNames, signingRequests, withCondition } from "./signing-request.ts";

const section = "CSRSigningController";
/** The fields of each signer's own certificate and key. */
const ownFiles: readonly (readonly [SignerName, string])[] = [
  [signerNames.orchletServing, "OrchletServingSignerConfiguration"],
  [signerNames.orchletClient, "OrchletClientSignerConfiguration"],
  [signerNames.apiServerClient, "OrchAPIServerClientSignerConfiguration"],
  [signerNames.legacyUnknown, "LegacyUnknownSignerConfiguration"],
];

/** A signer and the files that it signs with. */
interface ConfiguredSigner extends Signer {
  readonly certFile: string;
  readonly keyFile: string;
}

interface SigningSettings {
  readonly signers: readonly ConfiguredSigner[];
}

const pairFlags = (flag: string, field: string, signer: string) =>
  ({
    [`cluster-signing-${flag}-cert-file`]: {
      field: `${section}.${field}.CertFile`,
      type: "string",
      default: "",
      help: `PEM certificate of the authority for signer orchernetes.io/${signer}.`,
    },
    [`cluster-signing-${flag}-key-file`]: {
      field: `${section}.${field}.KeyFile`,
      type: "string",
      default: "",
      help: `PEM file of the key for signer orchernetes.io/${signer}.`,
    },
  }) as const;

const flags = flagSection("CSR signing controller", {
  "cluster-signing-cert-file": {
    field: `${section}.ClusterSigningCertFile`,
    type: "string",
    default: "",
    help: "PEM certificate of the authority that signs cluster-scoped certificates; cannot be combined with the flags of single signers.",
  },
  "cluster-signing-key-file": {
    field: `${section}.ClusterSigningKeyFile`,
    type: "string",
    default: "",
    help: "PEM file of the RSA or ECDSA key that belongs to --cluster-signing-cert-file.",
  },
  ...pairFlags("orchlet-serving", "OrchletServingSignerConfiguration", "orchlet-serving"),
  ...pairFlags("orchlet-client", "OrchletClientSignerConfiguration", "orch-apiserver-client-orchlet"),
  ...pairFlags("orch-apiserver-client", "OrchAPIServerClientSignerConfiguration", "orch-apiserver-client"),
  ...pairFlags("legacy-unknown", "LegacyUnknownSignerConfiguration", "legacy-unknown"),
  "cluster-signing-duration": {
    field: `${section}.ClusterSigningDuration`,
    type: "duration",
    default: "8760h0m0s",
    min: 1,
    help: "Maximum lifetime of signed certificates; a request may specify a shorter one in spec.expirationSeconds.",
  },
});

/** Reads the pair of one place of the configuration; undefined if none is named, or after an error. */
async function authorityOf(
  { files, namedFile }: Pick<SettingsSource, "files" | "namedFile">,
  certField: string,
  keyField: string,
): Promise<Omit<ConfiguredSigner, "name" | "maxLifetimeMs"> | undefined> {
  const [cert, key] = [namedFile(`${section}.${certField}`), namedFile(`${section}.${keyField}`)];
  const pair = await files.pair(cert, key);
  const authority = pair && (await files.check(cert, (path) => loadCertificateAuthority(pair, JSON.stringify(path))));
  return authority && { authority, certFile: cert.path, keyFile: key.path };
}

async function settings(source: SettingsSource): Promise<SigningSettings> {
  const maxLifetimeMs = source.document.CSRSigningController.ClusterSigningDuration;
  const common = await authorityOf(source, "ClusterSigningCertFile", "ClusterSigningKeyFile");
  const own: ConfiguredSigner[] = [];
  let someOwn: string | undefined;
  for (const [name, field] of ownFiles) {
    const [certField, keyField] = [`${field}.CertFile`, `${field}.KeyFile`];
    const named = [certField, keyField].map((one) => source.namedFile(`${section}.${one}`));
    someOwn ??= named.find(({ path }) => path !== "")?.from;
    const found = await authorityOf(source, certField, keyField);
    if (found !== undefined) own.push({ name, maxLifetimeMs, ...found });
  }
  const [commonCert, commonKey] = ["ClusterSigningCertFile", "ClusterSigningKeyFile"].map((field) =>
    source.namedFile(`${section}.${field}`),
  );
  if (someOwn !== undefined && (commonCert?.path !== "" || commonKey?.path !== ""))
    addConflict(source.files, commonCert?.path === "" ? commonKey?.from : commonCert?.from, someOwn);
  // With files of single signers, those without any do not run.
  if (someOwn !== undefined || common === undefined) return { signers: own };
  return { signers: ownFiles.map(([name]) => ({ name, maxLifetimeMs, ...common })) };
}

function addConflict(files: NamedFiles, common: string | undefined, own: string): void {
  files.errors.push(
    `${common}: cannot be given together with ${own}; want one pair for all signers, or pairs of single signers`,
  );
}

/**
 * Signs approved requests for the four signers of the control plane. Files of authorities are read again when they change. Source:
 * "Certificates and Certificate Signing Requests", "Orchernetes signers".
 */
export const csrSigningController = defineController<SigningSettings>({
  name: "csrsigning",
  serviceAccount: "certificate-controller",
  flags,
  settings,
  build(shell, { signers }) {
    const { client, clock, logger, signal } = shell.context;
    if (signers.length === 0) {
      logger.info("Requests are not signed: no certificate and key of a signer are configured");
      return;
    }
    const authorities = new Map<string, CertificateAuthority>();
    for (const { name, authority, certFile, keyFile } of signers) {
      authorities.set(name, authority);
      watchFiles({
        files: [certFile, keyFile],
        signal,
        onChange: async () => {
          const pair = await loadServingPair(certFile, keyFile);
          authorities.set(name, loadCertificateAuthority(pair, JSON.stringify(certFile)));
        },
        onError: (error) => logger.error(error, "Could not read the files of a signer", { signer: name }),
      });
    }
    const queue = shell.queue("certificate");
    const requests = shell.informer(signingRequests);
    follow(requests, queue);
    shell.loop({
      queue,
      workers: 5,
      gather(name): SigningState | undefined {
        const request = requests.lister.get("", name);
        const signer = signers.find((one) => one.name === request?.spec.signerName);
        const authority = signer && authorities.get(signer.name);
        return request && signer && authority && { request, signer: { ...signer, authority } };
      },
      reconcile,
      carryOut: inOrder<SigningAction, SigningState>({
        async Fail({ message }, { request }) {
          const failed = withCondition(request, { type: "Failed", reason: "SignerValidationFailure", message });
          await client.resource(signingRequests).updateStatus(failed);
        },
        async Sign(action, { request, signer }) {
          const pem = sign(action.request, request, signer, clock.now());
          const certificate = Buffer.from(pem).toString("base64");
          await client
            .resource(signingRequests)
            .updateStatus({ ...request, status: { ...request.status, certificate } });
        },
      }),
    });
  },
});
