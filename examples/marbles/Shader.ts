import { Bumpers, Disc, MarbleRadius } from "./World.ts"

const float = (value: number): string => value.toFixed(4)
const bumpers = Bumpers.places
  .map(({ x, z }) => `vec3(${[x, Bumpers.y, z].map(float).join(", ")})`)
  .join(", ")

/** A triangle that covers the picture. */
export const VertexShader = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`

/** The whole picture: each pixel looks for what its ray meets, and the disc mirrors what is on it. */
export const FragmentShader = `#version 300 es
precision highp float;

uniform vec2 size;
uniform float focal;
uniform float dark;
uniform vec3 eye;
uniform vec3 up;
uniform vec3 front;
// The places of the marbles; w: 1 = it is there, and less = its player is away.
uniform vec4 marble[4];
uniform vec4 turn[4];
uniform vec3 tint[4];
// A shot of each: from where, how bright, and to where.
uniform vec4 shotFrom[4];
uniform vec3 shotTo[4];
// The ring of the own marble, and the one where the room has it; z: 1 = it is shown.
uniform vec3 ring;
uniform vec3 told;
out vec4 shown;

const float Radius = ${float(MarbleRadius)};
const float Edge = ${float(Disc.radius)};
const float Thick = ${float(Disc.thickness)};
const float BumperRadius = ${float(Bumpers.radius)};
const vec3 bumper[4] = vec3[4](${bumpers});
const vec3 Light = normalize(vec3(-0.5, 1.0, 0.3));
const float Far = 1000.0;

vec3 palette(vec3 atNight, vec3 byDay) { return mix(byDay, atNight, dark); }

vec3 sky(vec3 way) {
  float height = smoothstep(-0.9, 0.7, way.y);
  vec3 low = palette(vec3(0.020, 0.028, 0.060), vec3(0.80, 0.86, 0.94));
  vec3 high = palette(vec3(0.085, 0.115, 0.230), vec3(0.93, 0.96, 1.00));
  vec3 lamp = palette(vec3(0.9, 0.95, 1.0), vec3(1.0)) * smoothstep(0.90, 0.97, dot(way, Light));
  return mix(low, high, height) + lamp;
}

float ball(vec3 from, vec3 way, vec3 centre, float radius) {
  vec3 to = from - centre;
  float b = dot(to, way);
  float h = b * b - dot(to, to) + radius * radius;
  if (h < 0.0) return Far;
  float t = -b - sqrt(h);
  return t > 0.001 ? t : Far;
}

// How much light passes a ball.
float passing(vec3 from, vec3 centre, float radius) {
  vec3 to = from - centre;
  float b = dot(to, Light);
  if (b > 0.0) return 1.0;
  float h = b * b - dot(to, to) + radius * radius;
  return smoothstep(0.0, 1.0, 5.0 * h / b);
}

// How much of the sky a ball covers.
float covering(vec3 from, vec3 centre, float radius) {
  vec3 to = centre - from;
  float far = length(to);
  return clamp(to.y * radius * radius / (far * far * far), 0.0, 1.0);
}

vec3 turnedBack(vec4 q, vec3 v) {
  vec3 axis = -q.xyz;
  return v + 2.0 * cross(axis, cross(axis, v) + q.w * v);
}

// What a ray meets: 0 = nothing, 1 = the disc, 2 = its side, 3 to 6 = bumpers, 7 to 10 = marbles.
int meet(vec3 from, vec3 way, out float t) {
  int found = 0;
  t = Far;
  float down = -from.y / way.y;
  if (way.y < 0.0 && down > 0.001) {
    vec2 at = from.xz + down * way.xz;
    if (dot(at, at) < Edge * Edge) { t = down; found = 1; }
  }
  float a = dot(way.xz, way.xz);
  float b = dot(from.xz, way.xz);
  float h = b * b - a * (dot(from.xz, from.xz) - Edge * Edge);
  if (h > 0.0) {
    float side = (-b - sqrt(h)) / a;
    float y = from.y + side * way.y;
    if (side > 0.001 && side < t && y < 0.0 && y > -Thick) { t = side; found = 2; }
  }
  for (int i = 0; i < 4; i++) {
    float near = ball(from, way, bumper[i], BumperRadius);
    if (near < t && (found != 1 || from.y + near * way.y > 0.0)) { t = near; found = 3 + i; }
    if (marble[i].w == 0.0) continue;
    near = ball(from, way, marble[i].xyz, Radius);
    if (near < t) { t = near; found = 7 + i; }
  }
  return found;
}

// A line of a width, without stairs: pixels are wider further away.
float line(float off, float width, float pixel) {
  return 1.0 - smoothstep(width - pixel, width + pixel, abs(off));
}

vec3 discColour(vec3 at, float pixel) {
  float r = length(at.xz);
  vec3 colour = palette(vec3(0.070, 0.092, 0.170), vec3(0.87, 0.90, 0.95));
  colour *= 1.0 + 0.10 * (1.0 - r / Edge);
  vec3 ink = palette(vec3(0.16, 0.21, 0.36), vec3(0.70, 0.76, 0.86));
  float angle = atan(at.z, at.x);
  float spoke = abs(fract(angle * 12.0 / 6.2831853 + 0.5) - 0.5) * 6.2831853 / 12.0 * r;
  colour = mix(colour, ink, 0.5 * line(spoke, 0.02, pixel) * step(2.4, r) * step(r, 9.1));
  colour = mix(colour, ink, line(r - 2.4, 0.05, pixel) + 0.6 * line(r - 5.8, 0.03, pixel));
  // The rim has the colours of the places, so that one sees where the others come back.
  for (int i = 0; i < 4; i++) {
    float turnOf = 0.7853982 + 1.5707963 * float(i == 1 ? 2 : i == 2 ? 1 : i);
    float off = abs(mod(angle - turnOf + 3.1415927, 6.2831853) - 3.1415927);
    float share = 1.0 - smoothstep(0.60, 0.62, off);
    colour = mix(colour, tint[i] * mix(0.95, 0.8, dark), share * line(r - 9.55, 0.22, pixel));
  }
  float own = line(length(at.xz - ring.xy) - 1.3, 0.06, pixel) * ring.z;
  colour = mix(colour, palette(vec3(0.95), vec3(0.10, 0.13, 0.22)), own);
  float there = line(length(at.xz - told.xy) - 1.05, 0.05, pixel) * told.z;
  return mix(colour, palette(vec3(1.0, 0.80, 0.35), vec3(0.75, 0.35, 0.0)), there);
}

vec3 lightAt(vec3 at, int except) {
  float sun = 1.0;
  float open = 1.0;
  for (int i = 0; i < 4; i++) {
    if (except != 3 + i) {
      sun *= passing(at, bumper[i], BumperRadius);
      open *= 1.0 - 0.7 * covering(at, bumper[i], BumperRadius);
    }
    if (marble[i].w == 0.0 || except == 7 + i) continue;
    sun *= passing(at, marble[i].xyz, Radius);
    open *= 1.0 - 0.8 * covering(at, marble[i].xyz, Radius);
  }
  return vec3(mix(0.42, 0.62, dark) * open + mix(0.62, 0.55, dark) * sun, sun, open);
}

vec3 marbleColour(int i, vec3 at, vec3 way) {
  vec3 n = normalize(at - marble[i].xyz);
  vec3 m = turnedBack(turn[i], n);
  // Each place has a swirl of its own: nobody needs to tell colours apart.
  float wave = i == 0 ? m.y + 0.35 * sin(3.0 * m.x + 2.0 * m.z)
    : i == 1 ? 1.5 * abs(m.y) + 0.3 * sin(4.0 * m.x) - 0.75
    : i == 2 ? 0.8 * sin(5.0 * m.y + 2.0 * m.x) * (0.4 + abs(m.z))
    : max(abs(m.x), abs(m.z)) - 0.62;
  float band = 1.0 - smoothstep(0.16, 0.20, abs(wave));
  float core = 0.5 + 0.5 * sin(7.0 * m.x + 5.0 * sin(3.0 * m.y) + 4.0 * m.z);
  vec3 base = mix(tint[i] * 0.62, tint[i], core);
  base = mix(base, vec3(0.97, 0.98, 1.0), band);
  float grazing = pow(1.0 - max(dot(n, -way), 0.0), 4.0);
  vec3 lit = lightAt(at, 7 + i);
  float wrap = 0.55 + 0.6 * max(dot(n, Light), 0.0) * lit.y;
  float floorLight = 0.12 * max(-n.y, 0.0);
  vec3 mirror = reflect(way, n);
  vec3 colour = base * (wrap * (0.7 + 0.3 * n.y) + floorLight);
  colour += sky(mirror) * (0.06 + 0.55 * grazing);
  colour += vec3(0.9) * pow(max(dot(mirror, Light), 0.0), 90.0) * lit.y;
  return mix(palette(vec3(0.2), vec3(0.7)), colour, marble[i].w);
}

vec3 bumperColour(int i, vec3 at, vec3 way) {
  vec3 n = normalize(at - bumper[i]);
  vec3 steel = palette(vec3(0.20, 0.25, 0.40), vec3(0.62, 0.68, 0.78));
  vec3 lit = lightAt(at, 3 + i);
  vec3 colour = steel * (0.45 + 0.65 * max(dot(n, Light), 0.0) * lit.y);
  float cap = smoothstep(0.80, 0.82, n.y) - smoothstep(0.90, 0.92, n.y);
  colour = mix(colour, palette(vec3(0.98, 0.78, 0.33), vec3(0.93, 0.62, 0.10)), cap);
  float grazing = pow(1.0 - max(dot(n, -way), 0.0), 3.0);
  return colour + sky(reflect(way, n)) * (0.10 + 0.40 * grazing);
}

vec3 colourOf(int found, vec3 at, vec3 way, float pixel) {
  if (found == 0) return sky(way);
  if (found == 1) return discColour(at, pixel) * lightAt(at, 0).x * mix(0.97, 1.35, dark);
  if (found == 2) {
    float glow = smoothstep(-Thick, 0.0, at.y);
    return palette(vec3(0.05, 0.07, 0.13), vec3(0.58, 0.64, 0.74)) * (0.5 + 0.6 * glow);
  }
  return found < 7 ? bumperColour(found - 3, at, way) : marbleColour(found - 7, at, way);
}

// How near a ray comes to a shot, before what it meets.
float beam(vec3 from, vec3 way, float t, vec3 a, vec3 b) {
  vec3 along = b - a;
  vec3 to = from - a;
  float aa = dot(along, along);
  float ab = dot(along, way);
  float c = dot(along, to);
  float share = clamp((c - ab * dot(way, to)) / max(aa - ab * ab, 0.0001), 0.0, 1.0);
  vec3 near = a + share * along;
  float at = min(max(dot(near - from, way), 0.0), t);
  return length(from + at * way - near);
}

void main() {
  vec2 at = (2.0 * gl_FragCoord.xy - size) / size.y;
  vec3 way = normalize(vec3(at.x, 0.0, 0.0) + at.y * up + focal * front);
  float t;
  int found = meet(eye, way, t);
  vec3 place = eye + t * way;
  float pixel = 1.6 * t / (focal * size.y);
  vec3 colour = colourOf(found, place, way, pixel);
  if (found == 1) {
    vec3 mirror = vec3(way.x, -way.y, way.z);
    float far;
    int seen = meet(place + vec3(0.0, 0.002, 0.0), mirror, far);
    float share = 0.10 + 0.5 * pow(1.0 - abs(way.y), 3.0);
    if (seen > 2) {
      vec3 other = colourOf(seen, place + far * mirror, mirror, pixel);
      colour = mix(colour, other, 1.6 * share * exp(-0.35 * far));
    }
  }
  for (int i = 0; i < 4; i++) {
    if (shotFrom[i].w <= 0.0) continue;
    float off = beam(eye, way, t, shotFrom[i].xyz, shotTo[i]);
    float glow = shotFrom[i].w * (exp(-14.0 * off) + 0.35 * exp(-3.5 * off));
    colour = mix(colour, mix(tint[i], vec3(1.0), exp(-22.0 * off)), clamp(glow, 0.0, 1.0));
  }
  float corner = dot(at / vec2(size.x / size.y, 1.0), at / vec2(size.x / size.y, 1.0));
  colour *= 1.0 - mix(0.05, 0.16, dark) * corner;
  shown = vec4(pow(clamp(colour, 0.0, 1.0), vec3(0.92)), 1.0);
}`
