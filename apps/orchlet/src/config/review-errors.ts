import type { OrchletConfiguration } from "@orchernetes/config";

const want = "want --orchconfig, which names the API server";

/**
 * Errors of an agent without an API server whose settings require reviews by one: it would reject every token, or every request.
 * Each begins with `field`. As in the original, it does not start, although the file's defaults are such settings.
 */
export function reviewErrors({
  authentication,
  authorization,
  serverTLSBootstrap,
}: Pick<OrchletConfiguration, "authentication" | "authorization" | "serverTLSBootstrap">): readonly string[] {
  return [
    ...(serverTLSBootstrap
      ? [`field serverTLSBootstrap: no client provided, cannot request a serving certificate; ${want}, or false`]
      : []),
    ...(authentication.webhook.enabled
      ? [
          `field authentication.webhook.enabled: no client provided, cannot use webhook authentication; ${want}, or false`,
        ]
      : []),
    ...(authorization.mode === "Webhook"
      ? [`field authorization.mode: no client provided, cannot use webhook authorization; ${want}, or AlwaysAllow`]
      : []),
  ];
}
