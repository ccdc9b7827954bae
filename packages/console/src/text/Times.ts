/** A span as people read it: `3 min`, `2 h 10 min`. */
export const spanText = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48)
    return minutes % 60 === 0 || hours >= 10 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d`
}

/** How far a moment is from now: `3 min ago`, `in 2 h`. */
export const awayText = (atMs: number, nowMs: number): string => {
  const ms = nowMs - atMs
  if (Math.abs(ms) < 1500) return "now"
  return ms > 0 ? `${spanText(ms)} ago` : `in ${spanText(-ms)}`
}

const clock: Intl.DateTimeFormatOptions = {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23"
}
const makeFormats = (zone?: string) => {
  const place = zone === undefined ? {} : { timeZone: zone }
  return {
    time: new Intl.DateTimeFormat("en-GB", { ...clock, ...place }),
    day: new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "short",
      year: "numeric",
      ...place
    })
  }
}
const local = makeFormats()

/** The moment where the reader is: `14:03:22`, and before it the day if that is another one. */
export const momentText = (atMs: number, nowMs: number, formats = local): string => {
  const day = formats.day.format(atMs)
  const time = formats.time.format(atMs)
  return day === formats.day.format(nowMs) ? time : `${day}, ${time}`
}

/** The formats of a time zone, for tests. */
export const formatsOf = (zone: string) => makeFormats(zone)

/** The same moment in UTC, to the second: what a reader gets who points at it. */
export const utcText = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`
