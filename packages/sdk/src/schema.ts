/** Schemas: what a room's state, messages, RPCs and persisted player fields hold. */
export * from "@atrium/wire/schema"
