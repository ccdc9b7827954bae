import type { Meter } from "@atrium/domain/meters/Caps"

import { bytesText } from "../text/Numbers.ts"

/** The meters, in the order of the page. */
export const meters = [
  "roomHours",
  "voiceMinutes",
  "storageBytes",
  "dataOutBytes"
] as const satisfies ReadonlyArray<Meter>

export const meterNames: Readonly<Record<Meter, string>> = {
  roomHours: "Room hours",
  voiceMinutes: "Voice minutes",
  storageBytes: "Storage",
  dataOutBytes: "Data out"
}

const isOfBytes = (meter: Meter): boolean => meter === "storageBytes" || meter === "dataOutBytes"

const format = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })

/** An amount of a meter as people read it. */
export const amountText = (meter: Meter, amount: number): string => {
  if (isOfBytes(meter)) return bytesText(amount)
  return `${format.format(amount)} ${meter === "roomHours" ? "h" : "min"}`
}

/** The unit that a ceiling is typed in. */
export const typedUnit = (meter: Meter): string =>
  isOfBytes(meter) ? "GiB" : meter === "roomHours" ? "hours" : "minutes"

const gib = 2 ** 30

/** A ceiling as it is typed, in the meter's own unit; `null` = it is no number. */
export const typedAmount = (meter: Meter, text: string): number | null => {
  const typed = Number(text.trim().replace(",", "."))
  if (text.trim() === "" || !Number.isFinite(typed)) return null
  return isOfBytes(meter) ? Math.round(typed * gib) : typed
}

/** A ceiling as somebody would type it; typed again it is the same ceiling, to the byte. */
export const typedText = (meter: Meter, amount: number): string =>
  String(isOfBytes(meter) ? amount / gib : amount)
