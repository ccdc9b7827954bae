/** What a bundle starts a room with. Game code does not import it: `atrium deploy` adds it. */
export { connect } from "@atrium/runtime/room/Runtime"
/** What the parts of `room` ask the service with. Game code does not import it: no call is public yet. */
export { callService } from "@atrium/runtime/room/ServiceCalls"
