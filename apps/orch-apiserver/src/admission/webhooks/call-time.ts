import { type ApiError, timeoutError } from "@orchernetes/apimachinery";
import type { AdmissionContext } from "@orchernetes/apiserver";
import type { Clock } from "@orchernetes/kernel";

/** Milliseconds that are left of the time of a write; infinite without a limit, 0 when it is over. */
export const remainingMs = ({ deadlineMs }: Pick<AdmissionContext, "deadlineMs">, clock: Clock): number =>
  deadlineMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, deadlineMs - clock.nowMs());

/** The answer to a write whose time is over, or whose client is gone. */
export const requestTooLate = (): ApiError => timeoutError("request did not complete within requested timeout");
