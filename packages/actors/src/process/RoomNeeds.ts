/** What a room's process is chosen by. */
export interface RoomNeeds {
  readonly memoryMiB: number
  /** What it will run, for a process that has run its module already. */
  readonly bundle?: Uint8Array
  /** Its project is `dev`: it has the heap of a developer's machine. */
  readonly isDev?: boolean
}
