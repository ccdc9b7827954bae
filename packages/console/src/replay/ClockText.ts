/** A position as people read it: `1:05.2`. */
export const clockText = (ms: number): string => {
  const tenths = Math.floor(Math.max(0, ms) / 100)
  const [minutes, rest] = [Math.floor(tenths / 600), tenths % 600]
  const text = `${String(Math.floor(rest / 10)).padStart(2, "0")}.${rest % 10}`
  if (minutes < 60) return `${minutes}:${text}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${text}`
}
