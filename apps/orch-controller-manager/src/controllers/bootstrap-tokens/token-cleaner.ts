import { isConflict, isNotFound } from "@orchernetes/apimachinery";
import { follow, inOrder, noPlan, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { secrets } from "../../shared/refs.ts";
import { LONGEST_DELAY_MS } from "./longest-delay.ts";
import { expirationMs, type TokenSecret, tokenSecrets } from "./token-secret.ts";

type DeleteAction = { readonly type: "Delete" };

/** Deletes the secret of a token that has expired, or waits until it expires. Pure. */
export function reconcile(secret: TokenSecret, now: Date): Plan<DeleteAction> {
  const expires = expirationMs(secret);
  if (expires === undefined) return noPlan;
  const leftMs = expires - now.getTime();
  return leftMs <= 0
    ? { actions: [{ type: "Delete" }] }
    : { actions: [], requeueAfterMs: Math.min(leftMs, LONGEST_DELAY_MS) };
}

/** Deletes the secrets of expired bootstrap tokens. */
export const tokenCleanerController = defineController({
  name: "tokencleaner",
  serviceAccount: "token-cleaner",
  enabledByDefault: false,
  build(shell) {
    const { client } = shell.context;
    const queue = shell.queue("token_cleaner");
    const tokens = tokenSecrets(shell);
    follow(tokens, queue);
    shell.loop({
      queue,
      workers: 1,
      gather: (key): TokenSecret | undefined => tokens.lister.byKey(key),
      reconcile,
      carryOut: inOrder<DeleteAction, TokenSecret>({
        async Delete(_, { metadata: { namespace = "", name, uid } }) {
          const deleting = client.resource(secrets).namespace(namespace).delete(name, { preconditions: { uid } });
          // Another secret of this name is not the one that has expired.
          await deleting.catch((error: unknown) => {
            if (!isNotFound(error) && !isConflict(error)) throw error;
          });
        },
      }),
    });
  },
});
