import type { core } from "@orchernetes/api";
import { isConflict, isNotFound, type Stored } from "@orchernetes/apimachinery";
import { legacyClaimsFor, type SigningKey, signingKeyOf, signToken } from "@orchernetes/auth";
import type { Client } from "@orchernetes/client";
import { flagSection, NamedFiles } from "@orchernetes/component";
import { inOrder } from "@orchernetes/controller";
import { defineController, type SettingsSource } from "../../shared/define-controller.ts";
import { serviceAccounts as accountsRef, secrets as secretsRef } from "../../shared/refs.ts";
import { rootCaOf } from "../../shared/root-ca.ts";
import { filled, reconcile, type TokenAction, type TokenState } from "./reconcile.ts";
import {
  decodeKey,
  encodeKey,
  isOf,
  SECRET_TYPE,
  type SecretKey,
  secretKeyOf,
  type TokenSecret,
} from "./token-secret.ts";

/** Retries of a secret that fails. */
const MAX_RETRIES = 10;

interface TokenSettings {
  readonly workers: number;
  /** Undefined: the controller does not run. */
  readonly key: SigningKey | undefined;
  readonly rootCa: string | undefined;
}

const flags = flagSection("Service account controller", {
  "concurrent-serviceaccount-token-syncs": {
    field: "SAController.ConcurrentSATokenSyncs",
    type: "int",
    default: 5,
    min: 1,
    help: "Number of service accounts whose tokens are synced concurrently.",
  },
  "service-account-private-key-file": {
    field: "SAController.ServiceAccountKeyFile",
    type: "string",
    default: "",
    help: "PEM file of the private key that signs service account tokens.",
  },
});

async function settings(source: SettingsSource): Promise<TokenSettings> {
  const { document, files, namedFile } = source;
  const file = namedFile("SAController.ServiceAccountKeyFile");
  const material = await files.privateKey(file);
  const key = material && (await files.check(file, (path) => signingKeyOf(material.key, JSON.stringify(path))));
  // Errors of this file are reported by the controller that publishes it.
  const rootCa = await rootCaOf({ ...source, files: new NamedFiles() });
  return { workers: document.SAController.ConcurrentSATokenSyncs, key, rootCa };
}

/** Whether somebody else was faster: an event reports what became of the object. */
const isOutdated = (error: unknown): boolean => isNotFound(error) || isConflict(error);

async function deleteSecret(client: Client, { metadata }: TokenSecret): Promise<void> {
  const { namespace = "", name, uid } = metadata;
  const deleting = client.resource(secretsRef).namespace(namespace).delete(name, { preconditions: { uid } });
  await deleting.catch((error: unknown) => {
    if (!isOutdated(error)) throw error;
  });
}

/** Writes a secret with what it lacked. */
async function fill(client: Client, action: TokenAction & { type: "Fill" }, key: SigningKey): Promise<void> {
  const { secret, account, needsToken } = action;
  const { namespace = "", name } = secret.metadata;
  const data: Record<string, string> = { ...action.data };
  if (needsToken) {
    const { name: serviceAccountName, uid: serviceAccountUid } = account.metadata;
    const claims = legacyClaimsFor({ namespace, secretName: name, serviceAccountName, serviceAccountUid });
    data.token = Buffer.from(await signToken(claims, key)).toString("base64");
  }
  const updating = client.resource(secretsRef).update(filled(secret, account, data));
  await updating.catch((error: unknown) => {
    if (!isOutdated(error)) throw error;
  });
}

/** Removes a secret from the list of a service account. A conflict is retried by the loop. */
async function unlist(client: Client, { metadata }: Stored<core.ServiceAccount>, secret: string): Promise<void> {
  const { namespace = "", name, uid } = metadata;
  const accounts = client.resource(accountsRef).namespace(namespace);
  try {
    const current = await accounts.get(name);
    const kept = current.secrets?.filter((reference) => reference.name !== secret);
    if (current.metadata.uid !== uid || kept?.length === current.secrets?.length) return;
    await accounts.update({ ...current, secrets: kept ?? [] });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The service account that a secret names, asking the server before it is taken for gone. */
async function liveAccount(client: Client, key: SecretKey): Promise<Stored<core.ServiceAccount> | undefined> {
  try {
    const account = await client.resource(accountsRef).namespace(key.namespace).get(key.accountName);
    return isOf(key, account.metadata.name, account.metadata.uid) ? account : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Fills in the token, the authorities and the namespace of secrets of type `orchernetes.io/service-account-token`, repairs those
 * that lack something, and deletes them with their service account. No secret is created: whoever wants a token that does not
 * expire creates it (KEP-2799).
 */
export const serviceAccountTokenController = defineController<TokenSettings>({
  name: "serviceaccount-token",
  serviceAccount: "tokens-controller",
  // Other controllers may depend on what this one does, so it depends on no service account.
  usesManagerIdentity: true,
  flags,
  settings,
  build(shell, { workers, key: signingKey, rootCa }) {
    const { client, logger } = shell.context;
    if (signingKey === undefined) {
      logger.info(
        "Tokens of service accounts are not kept in secrets: --service-account-private-key-file is not given",
      );
      return;
    }
    const secrets = shell.ownInformer(secretsRef, { fieldSelector: `type=${SECRET_TYPE}` });
    const accounts = shell.informer(accountsRef);
    const secretQueue = shell.queue("serviceaccount_tokens_secret");
    const accountQueue = shell.queue("serviceaccount_tokens_service");
    const enqueue = (secret: TokenSecret): void => {
      const key = secretKeyOf(secret);
      if (key !== undefined) secretQueue.add(encodeKey(key));
    };
    secrets.addHandler({ onAdd: enqueue, onUpdate: (_, secret) => enqueue(secret), onDelete: enqueue });
    accounts.addHandler({
      onDelete: ({ metadata: { namespace = "", name, uid } }) => accountQueue.add(`${namespace}/${name}/${uid}`),
    });
    const cachedAccount = (key: SecretKey): Stored<core.ServiceAccount> | undefined => {
      const account = accounts.lister.get(key.namespace, key.accountName);
      return account !== undefined && isOf(key, account.metadata.name, account.metadata.uid) ? account : undefined;
    };
    shell.loop({
      queue: secretQueue,
      workers,
      maxRetries: MAX_RETRIES,
      describeKey: (text) => `${decodeKey(text).namespace}/${decodeKey(text).name}`,
      async gather(text): Promise<TokenState> {
        const key = decodeKey(text);
        const known = secrets.lister.get(key.namespace, key.name);
        const secret = known?.metadata.uid === key.uid ? known : undefined;
        const account = cachedAccount(key) ?? (secret === undefined ? undefined : await liveAccount(client, key));
        return { secret, account, name: key.name, rootCa };
      },
      reconcile,
      carryOut: inOrder<TokenAction, TokenState>({
        Delete: ({ secret }) => deleteSecret(client, secret),
        Fill: (action) => fill(client, action, signingKey),
        Unlist: ({ account }, { name }) => unlist(client, account, name),
      }),
    });
    shell.loop({
      queue: accountQueue,
      workers,
      maxRetries: MAX_RETRIES,
      gather(text): readonly TokenSecret[] {
        const [namespace = "", name = "", uid = ""] = text.split("/");
        if (accounts.lister.get(namespace, name)?.metadata.uid === uid) return [];
        return secrets.lister.list(namespace).filter((secret) => {
          const key = secretKeyOf(secret);
          return key !== undefined && key.accountUid === uid && isOf(key, name, uid);
        });
      },
      reconcile: (doomed) => ({ actions: doomed.map((secret) => ({ type: "Delete", secret }) as const) }),
      carryOut: inOrder<TokenAction & { type: "Delete" }, readonly TokenSecret[]>({
        Delete: ({ secret }) => deleteSecret(client, secret),
      }),
    });
  },
});
