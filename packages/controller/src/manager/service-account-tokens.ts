import type { core } from "@orchernetes/api";
import { isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import type { Client, ResourceRef, TokenSource } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";

const serviceAccounts: ResourceRef<core.ServiceAccount> = {
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
  scope: "Namespaced",
};

/** Namespace of the controllers' service accounts. */
const namespace = "orch-system";
/** Requested lifetime of tokens. */
const lifetimeSeconds = 3600;
/**
 * Minimum age of a token before it is replaced after a rejection: requests that are rejected together share one new
 * token.
 */
const freshMs = 1000;

interface TokenRequest {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string };
}

/**
 * Tokens of a service account in `orch-system`, which is created if it does not exist. A new token is requested after
 * 4/5 of the lifetime of the old one, until the signal aborts. It is also requested when the server rejects the current
 * one, which happens if the account is deleted; the account is then created again.
 *
 * @throws ApiError if the first token cannot be created
 */
export async function serviceAccountTokens(
  client: Client,
  name: string,
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<TokenSource> {
  const accounts = client.resource(serviceAccounts).namespace(namespace);
  const request = async (): Promise<{ readonly token: string; readonly refreshMs: number }> => {
    const body = {
      kind: "TokenRequest",
      apiVersion: "authentication.o8s.io/v1",
      spec: { expirationSeconds: lifetimeSeconds },
    };
    const ask = (): Promise<TokenRequest> => accounts.subresource<TokenRequest>("token").create(name, body);
    const answer = await ask().catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await accounts.create({ metadata: { name } }).catch((failure: unknown) => {
        if (!isAlreadyExists(failure)) throw failure;
      });
      return ask();
    });
    const { token = "", expirationTimestamp } = answer.status ?? {};
    const lifeMs =
      expirationTimestamp === undefined
        ? lifetimeSeconds * 1000
        : Date.parse(expirationTimestamp) - clock.now().getTime();
    return { token, refreshMs: Math.max(10_000, lifeMs * 0.8) };
  };

  let current = await request();
  let renewedAtMs = clock.monotonicMs();
  let renewing: Promise<void> | undefined;
  const renew = (): Promise<void> => {
    renewing ??= request()
      .then((renewed) => {
        current = renewed;
        renewedAtMs = clock.monotonicMs();
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };
  const failed = (error: unknown): void => {
    if (!signal.aborted) logger.error(error, "Renewing a controller's token failed", { serviceAccount: name });
  };
  const keepFresh = async (): Promise<void> => {
    while (!signal.aborted) {
      const dueInMs = renewedAtMs + current.refreshMs - clock.monotonicMs();
      if (dueInMs > 0) await clock.sleep(dueInMs, signal).catch(() => undefined);
      // A rejected request may have caused a renewal in the meantime.
      if (signal.aborted || renewedAtMs + current.refreshMs > clock.monotonicMs()) continue;
      try {
        await renew();
      } catch (error) {
        failed(error);
        await clock.sleep(10_000, signal).catch(() => undefined);
      }
    }
  };
  void keepFresh();
  return {
    current: () => current.token,
    async refused() {
      const refused = current.token;
      if (clock.monotonicMs() - renewedAtMs < freshMs) return true;
      await renew().catch(failed);
      return current.token !== refused;
    },
  };
}
