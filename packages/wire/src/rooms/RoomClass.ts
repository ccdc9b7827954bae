/** Size class of a room type: what one awake room may use, and what it takes of a server. */
export type RoomClass = "standard" | "large" | "xlarge"

/**
 * Memory in MiB and share of a server's budget in 120ths: a server fits rooms while the shares sum
 * to 120 at most. Source: spec "Room budget per server"; D-15, D-46.
 */
export const RoomClasses: Record<RoomClass, { readonly memoryMiB: number; readonly cost: number }> =
  {
    standard: { memoryMiB: 64, cost: 6 },
    large: { memoryMiB: 256, cost: 15 },
    xlarge: { memoryMiB: 1024, cost: 40 }
  }
