/** What a bundle starts a room with. Game code does not import it: `atrium deploy` adds it. */
export { connect } from "@atrium/runtime/room/Runtime"
