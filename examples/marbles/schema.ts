import { defineSchema, s } from "@atrium/sdk/schema"

const heading = { min: -1, max: 1, step: 0.01 } as const

export const marbles = defineSchema({
  type: "marbles",
  maxClients: 4,
  tickHz: 30,
  // A second of poses: a shot counts where its player saw the others.
  physics: { dimensions: 3, history: 30 },
  hibernateAfterMs: 5_000,
  entities: {
    marbles: {
      // Empty: the bot, who plays with somebody who is alone.
      client: s.string(64),
      playerId: s.string(256),
      name: s.string(64),
      // The place of the start, and the colour.
      seat: s.u8(),
      score: s.u16(),
      wins: s.u16(),
      away: s.bool(),
      // Where the player steers. Clients simulate the marbles of others with it.
      headingX: s.quantised(heading),
      headingZ: s.quantised(heading),
      // The last input that the room has applied.
      seq: s.u32(),
      // No shot before this tick.
      loadedTick: s.u32(),
      x: s.f32(),
      y: s.f32(),
      z: s.f32(),
      qx: s.f32(),
      qy: s.f32(),
      qz: s.f32(),
      qw: s.f32({ default: 1 }),
      vx: s.f32(),
      vy: s.f32(),
      vz: s.f32(),
      wx: s.f32(),
      wy: s.f32(),
      wz: s.f32()
    }
  },
  singletons: {
    game: {
      tick: s.u32(),
      // Of the round, or of the pause after it.
      endsTick: s.u32(),
      // Of the round before, during the pause; 0 = a round is on.
      winner: s.ref("marbles"),
      pause: s.bool()
    }
  },
  messages: {
    // To the room: steer from a tick on.
    steer: { seq: s.u32(), tick: s.u32(), x: s.quantised(heading), z: s.quantised(heading) },
    // To the room: a shot, and the tick whose picture the player saw.
    shoot: { tick: s.u32(), x: s.f32(), z: s.f32() },
    // From the room: a ray of a marble, which of them it has hit (0 = none), and how far it went.
    shot: { from: s.ref("marbles"), hit: s.ref("marbles"), x: s.f32(), z: s.f32(), units: s.f32() },
    // From the room: a marble has fallen, and by whom (0 = nobody).
    fell: { marble: s.ref("marbles"), by: s.ref("marbles") }
  }
})
