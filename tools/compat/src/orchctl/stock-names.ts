import { startTranslatingProxy, type TranslatingProxy, type Translation } from "@orchernetes/testkit";
import { toOwnNames, toStockNames } from "./naming.ts";

const names = { toServer: toOwnNames, toClient: toStockNames };
/** Everything is translated: names occur everywhere. */
const stockNames: Translation = () => names;

/**
 * Starts a proxy through which a stock client can use a server of this project: names are translated. Protobuf responses are
 * passed on unchanged; requests must be text. The certificate of the server is not verified, since the proxy is for tests on one
 * machine.
 *
 * @param token with which the proxy sends requests: kubectl sends none to a server without TLS
 */
export const startStockNamesProxy = (server: string, token: string): Promise<TranslatingProxy> =>
  startTranslatingProxy({ server, token, tls: { insecure: true } }, stockNames);
