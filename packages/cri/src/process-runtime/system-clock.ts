/** Largest difference from the wall clock that is left alone, in ms. */
const toleranceMs = 2;

/** The wall clock with fractions of a millisecond, so that events close together keep their order. */
export function systemClock(): () => number {
  let origin = performance.timeOrigin;
  return () => {
    const precise = origin + performance.now();
    const wall = Date.now();
    if (Math.abs(precise - wall) <= toleranceMs) return precise;
    // The wall clock was set, or drifted.
    origin += wall - precise;
    return wall;
  };
}
