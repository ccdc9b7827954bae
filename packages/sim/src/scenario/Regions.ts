/** Standard time without summer time, hours from UTC. */
export const RegionOffsetHours = {
  utc: 0,
  eu: 1,
  us: -6,
  sa: -3,
  africa: 2,
  india: 5.5,
  asia: 8,
  oceania: 10
} as const
