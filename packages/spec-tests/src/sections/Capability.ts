/**
 * Something that a statement names and that an implementation may lack: `command rooms get`,
 * `route GET /v1/projects/:id/rooms`, `meter roomHours`, or a behaviour in words. A requirement passes
 * only when its checks saw each of them at work.
 */
export type Capability = `${"command" | "route" | "meter" | "behaviour"} ${string}`
