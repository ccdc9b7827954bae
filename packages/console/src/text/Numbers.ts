const sizes = ["B", "KiB", "MiB", "GiB", "TiB"] as const

/** Bytes as people read them: `1.46 KiB`. */
export const bytesText = (bytes: number): string => {
  let [value, at] = [bytes, 0]
  while (value >= 1024 && at < sizes.length - 1) [value, at] = [value / 1024, at + 1]
  const digits = at === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${grouped(value, digits)} ${sizes[at]}`
}

/** A number with its thousands apart: `12,480`. */
export const countText = (count: number): string => grouped(count, 0)

const formats = new Map<number, Intl.NumberFormat>()

const grouped = (value: number, digits: number): string => {
  const format =
    formats.get(digits) ?? new Intl.NumberFormat("en", { maximumFractionDigits: digits })
  formats.set(digits, format)
  return format.format(value)
}
