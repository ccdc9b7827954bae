const format = new Intl.NumberFormat("en", { maximumFractionDigits: 0 })

/** A number with its thousands apart: `12,480`. */
export const countText = (count: number): string => format.format(count)
