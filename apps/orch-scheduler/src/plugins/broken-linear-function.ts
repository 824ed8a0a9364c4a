/** A point of a function of the utilization, in per cent, to a score from 0 to 10. */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** Scores of plugins are up to 100, those of shapes up to 10. */
const SCALE = 10;

/**
 * The score of a share of a capacity, by a shape whose points have increasing utilization: linear between points, constant
 * before the first and after the last (upstream: `BuildBrokenLinearFunction`, in whole numbers). More than the whole
 * capacity is 100 %.
 */
export function utilizationScore(shape: readonly ShapePoint[]): (requested: number, capacity: number) => number {
  const points = shape.map(({ utilization, score }) => ({ utilization, score: score * SCALE }));
  const of = (utilization: number): number => {
    let before = points[0];
    for (const point of points) {
      if (utilization <= point.utilization) {
        if (before === undefined || before === point) return point.score;
        const rise = (point.score - before.score) * (utilization - before.utilization);
        return before.score + Math.trunc(rise / (point.utilization - before.utilization));
      }
      before = point;
    }
    return before?.score ?? 0;
  };
  return (requested, capacity) =>
    of(capacity === 0 || requested > capacity ? 100 : Math.floor((requested * 100) / capacity));
}
