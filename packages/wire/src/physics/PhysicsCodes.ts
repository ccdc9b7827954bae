/** Codes of physics that room code alone sees, by `RpcError`. A client would have to load a row of `RoomRefusal.ts`. */
export const PhysicsCodes = { noHistory: "E_PHYSICS_NO_HISTORY" } as const
