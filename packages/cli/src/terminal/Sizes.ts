/** `1.2 MiB` */
export const sizeText = (bytes: number): string => {
  const units = ["bytes", "KiB", "MiB"] as const
  const at = bytes < 1024 ? 0 : bytes < 1024 * 1024 ? 1 : 2
  return `${at === 0 ? bytes : (bytes / 1024 ** at).toFixed(1)} ${units[at]}`
}
