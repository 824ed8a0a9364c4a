import type { CloudWebhook } from "@orchernetes/cloud-provider";
import { flagFile, type NamedFiles } from "@orchernetes/component";
import type { Configuration } from "@orchernetes/component/configuration";
import { selectControllers } from "@orchernetes/controller";

const FIELD = "Webhook.Webhooks";

/** Name of the self-signed pair in `--webhook-cert-dir`. */
export const WEBHOOK_PAIR = "cloud-controller-manager-webhook";

type Webhooks = Readonly<Record<string, CloudWebhook>>;

/** The webhooks of a provider that `--webhooks` enables. Unknown names are added to the errors. */
export function selectWebhooks(
  webhooks: Webhooks = {},
  settings: Pick<Configuration<unknown>, "origin" | "value">,
  errors: string[],
): Webhooks {
  const given = settings.value(FIELD) ?? [];
  const entries = Array.isArray(given) ? given.filter((entry) => typeof entry === "string") : [];
  const all = Object.entries(webhooks).map(([name, webhook]) => ({ name, webhook, enabledByDefault: true }));
  const selection = selectControllers(entries, all, [], settings.origin(FIELD));
  errors.push(...selection.errors);
  return Object.fromEntries(selection.enabled.map(({ name, webhook }) => [name, webhook]));
}

/** A warning if webhooks are named and the feature gate is disabled. */
export function webhookWarnings(entries: readonly string[], isEnabled: boolean): readonly string[] {
  if (entries.length === 0 || isEnabled) return [];
  return ["flag --webhooks has no effect: feature gate CloudControllerManagerWebhook is disabled"];
}

/** The flags of the webhook port that name files. */
interface WebhookFileFlags {
  readonly "webhook-tls-cert-file": string;
  readonly "webhook-tls-private-key-file": string;
  readonly "webhook-cert-dir": string;
  readonly "webhook-secure-port": number;
}

/** Reads the files of the webhook port, whether or not it is opened. */
export async function checkWebhookFiles(files: NamedFiles, flags: WebhookFileFlags): Promise<void> {
  const cert = flagFile(flags, "webhook-tls-cert-file");
  const key = flagFile(flags, "webhook-tls-private-key-file");
  await files.pair(cert, key);
  const selfSigned = cert.path === "" && key.path === "" && flags["webhook-secure-port"] !== 0;
  if (selfSigned) await files.pairDirectory(flagFile(flags, "webhook-cert-dir"), WEBHOOK_PAIR);
}
