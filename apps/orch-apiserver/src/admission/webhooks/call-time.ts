import { type ApiError, timeoutError } from "@orchernetes/apimachinery";
import type { AdmissionContext } from "@orchernetes/apiserver";
import type { Clock } from "@orchernetes/kernel";

/** Returns the remaining time of a write in milliseconds; 0 when it is over, infinite if there is no limit. */
export const remainingMs = ({ deadlineMs }: Pick<AdmissionContext, "deadlineMs">, clock: Clock): number =>
  deadlineMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, deadlineMs - clock.nowMs());

/** Returns the error of a write whose time is over, or whose client has disconnected. */
export const requestTooLate = (): ApiError => timeoutError("request did not complete within requested timeout");
