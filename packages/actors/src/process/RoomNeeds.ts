/** The properties of a room by which its process is chosen. */
export interface RoomNeeds {
  readonly memoryMiB: number
  /** The code of the room, for a process that has run its module already. */
  readonly bundle?: Uint8Array
  /** Its project is `dev`: it has the heap of a developer's machine. */
  readonly isDev?: boolean
  /** It has a physics world: WebAssembly runs in it. */
  readonly physics?: boolean
}
