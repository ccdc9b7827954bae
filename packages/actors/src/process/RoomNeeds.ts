/** The rooms with which a room may share its process. */
export interface SharedNeeds {
  /** Its project and id. */
  readonly room: string
  /** The project, version and type, which are the same for all rooms of a process. */
  readonly kind: string
}

/** The properties of a room by which its process is chosen. */
export interface RoomNeeds {
  readonly memoryMiB: number
  /** The code of the room, for a process that has run its module already. */
  readonly bundle?: Uint8Array
  /** Its project is `dev`: it has the heap of a developer's machine. */
  readonly isDev?: boolean
  /** It has a physics world: WebAssembly runs in it. */
  readonly physics?: boolean
  /** Its type shares processes; absent = it has its own. */
  readonly shares?: SharedNeeds
}
