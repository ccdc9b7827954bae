import { GiB, KiB, MiB } from "@atrium/wire/limits/Limit"

const units = [
  [GiB, "GiB"],
  [MiB, "MiB"],
  [KiB, "KiB"]
] as const

/** A size in its largest unit: `1.2 MiB`. */
export const sizeText = (bytes: number): string => {
  const [unit, name] = units.find(([each]) => bytes >= each) ?? [1, "bytes"]
  return `${unit === 1 ? bytes : (bytes / unit).toFixed(1)} ${name}`
}
