//! A conditional random field: the weights that make the labels of the texts likeliest, found by gradient
//! descent with a step of its own for each weight, and with a penalty that makes most weights 0.

use std::{collections::BTreeMap, panic::resume_unwind, thread};

// those of a machine's C library differ in the last bit
use libm::{exp, expf, logf};
use textveil_names::{
    Known,
    judge::{
        BITS, Bits, Calibration, Domain, GAPS, Models, ORDINARY, ORGANIZATIONS, Pairs, SCRIPTS, STEPS, TAGS,
        Tag, WEIGHED, Weights, learnt, ordinary_bits, pairs, planes, ranks, training,
    },
};

use crate::{
    Arguments, case,
    data::Document,
    score::{BONUS, covers},
};

/// A region of a text, with the tags that each unit may have.
#[derive(PartialEq)]
struct Example {
    gaps: Vec<u8>,
    /// Bits of tags.
    allowed: Vec<u8>,
    /// The features of all units in a row, and where those of each unit end.
    features: Vec<u32>,
    ends: Vec<u32>,
}

const ANY: u8 = (1 << TAGS) - 1;
const NO_PERSON: u8 = 1 << Tag::Other as u8 | 1 << Tag::Place as u8 | 1 << Tag::Organization as u8;

/// Sets without all labels of places and organisations.
const ONLY_PEOPLE: [&str; 4] = ["litbank", "frlitbank", "emailcoref", "generated"];

/// Whether a document labels places and organisations.
fn labels_all(document: &Document) -> bool {
    !document.negative && !ONLY_PEOPLE.contains(&document.set.as_str())
}

fn examples(domain: Domain, document: &Document, known: &Known, out: &mut Vec<Example>) {
    for region in training::examples(domain, &document.text, known) {
        let mut allowed = vec![1 << Tag::Other as u8; region.units.len()];
        if !labels_all(document) {
            allowed.fill(NO_PERSON);
        }
        for label in &document.labels {
            let first = region.units.partition_point(|unit| unit.1 as usize <= label.start);
            let mut begins = true;
            for (unit, allowed) in region.units.iter().zip(&mut allowed).skip(first) {
                let (start, end) = (unit.0 as usize, unit.1 as usize);
                if start >= label.end {
                    break;
                }
                let inside = end.min(label.end) - start.max(label.start);
                if 2 * inside < end - start {
                    continue;
                }
                *allowed = match label.kind.as_str() {
                    "person" if begins => 1 << Tag::Begin as u8,
                    "person" => 1 << Tag::Inside as u8,
                    "location" | "address" => 1 << Tag::Place as u8,
                    "organization" => 1 << Tag::Organization as u8,
                    "ignore" => ANY,
                    _ => *allowed,
                };
                begins = false;
            }
        }
        let (mut features, mut ends) = (Vec::new(), Vec::new());
        for unit in &region.features {
            features.extend(unit);
            ends.push(features.len() as u32);
        }
        out.push(Example { gaps: region.gaps, allowed, features, ends });
    }
}

/// The parts that texts are divided into to find what is known of each, and how many texts in a row are of one part.
const FOLDS: usize = 2;
const RUN: usize = 16;

/// No feature has weights.
static NONE: Bits = [[0; 8]; 1 << (BITS - 6)];

/// The trained model, as the judge reads it.
#[derive(Default)]
pub struct Learnt {
    present: Vec<u8>,
    ranks: Vec<u32>,
    weights: Vec<u8>,
    planes: [Vec<u8>; 4],
    pairs: Pairs,
    /// The same, as the file has them.
    written_pairs: Vec<u8>,
    pub calibration: Calibration,
    ordinary: Vec<u8>,
}

impl Learnt {
    /// Prepares what the judge reads.
    fn settle(&mut self) {
        self.ranks = ranks(self.present.as_chunks().0);
        self.planes = planes(&self.weights);
    }

    fn set_pairs(&mut self, written: Vec<u8>) {
        self.pairs = written.as_array().map(pairs).unwrap_or_default();
        self.written_pairs = written;
    }

    /// The weights for the judge.
    pub fn weights(&self) -> Weights<'_> {
        let Self { present, ranks, planes, pairs, calibration, ordinary, .. } = self;
        let planes = planes.each_ref().map(Vec::as_slice);
        let present = present.as_chunks().0.first_chunk().unwrap_or(&NONE);
        Weights { present, ranks, planes, pairs, calibration: *calibration, ordinary }
    }

    /// The models for the judge: these weights for a domain, and for the other one those of the engine.
    pub fn models(&self, domain: Domain) -> Models<'_> {
        let mut models = learnt();
        models[domain as usize] = self.weights();
        models
    }

    /// Reads a file of weights.
    pub fn read(bytes: &[u8]) -> Self {
        let (present, rest) = bytes.split_at((1 << BITS) / 8);
        let features: usize = present.iter().map(|byte| byte.count_ones() as usize).sum();
        let (weights, rest) = rest.split_at(features * WEIGHED);
        let (pairs, rest) = rest.split_at(GAPS * TAGS * TAGS);
        let mut learnt = Self { present: present.into(), weights: weights.into(), ..Self::default() };
        learnt.set_pairs(pairs.into());
        for (script, bytes) in learnt.calibration.iter_mut().zip(rest.chunks_exact(4)) {
            let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
            *script = (number(0), number(2));
        }
        learnt.ordinary = rest[4 * learnt.calibration.len()..].into();
        learnt.settle();
        learnt
    }

    /// The bytes of a file of weights.
    pub fn bytes(&self) -> Vec<u8> {
        let calibration = self.calibration.iter().flat_map(|(start, step)| [*start, *step]);
        let calibration = calibration.flat_map(i16::to_le_bytes);
        [&self.present[..], &self.weights, &self.written_pairs]
            .concat()
            .into_iter()
            .chain(calibration)
            .chain(self.ordinary.iter().copied())
            .collect()
    }
}

/// The weights while they are learnt: of the features, then of two tags in a row.
#[derive(Clone)]
struct Model {
    weights: Vec<[Weight; WEIGHED]>,
    steps: Vec<Weight>,
    /// The number of examples read since the weights are averaged.
    read: u32,
    random: Random,
}

/// A weight while it is learnt.
#[derive(Clone, Copy, Default)]
struct Weight {
    value: f32,
    /// The sum of the squares of its gradients.
    square: f32,
    /// The sum of its values after each example, up to `since`.
    sum: f32,
    since: u32,
}

impl Weight {
    /// Moves it against the gradient, and towards 0 by the penalty. `read` counts the examples before.
    fn step(&mut self, gradient: f32, rate: f32, penalty: f32, read: u32) {
        if gradient.abs() < 1e-4 {
            return;
        }
        self.pass(read);
        self.square += gradient * gradient;
        let rate = rate / (1.0 + self.square).sqrt();
        let moved = self.value - rate * gradient;
        self.value = moved.signum() * (moved.abs() - rate * penalty).max(0.0);
    }

    /// Adds its value to the sum for each example since the last change.
    fn pass(&mut self, read: u32) {
        self.sum += self.value * (read - self.since) as f32;
        self.since = read;
    }

    /// Takes its mean value.
    fn settle(&mut self, read: u32) {
        self.pass(read);
        self.value = self.sum / read.max(1) as f32;
        self.forget();
    }

    /// Begins to average anew.
    fn forget(&mut self) {
        (self.sum, self.since) = (0.0, 0);
    }
}

fn sum_exp(values: [f32; TAGS]) -> f32 {
    let most = values.into_iter().fold(f32::NEG_INFINITY, f32::max);
    if most == f32::NEG_INFINITY {
        return most;
    }
    most + logf(values.iter().map(|value| expf(value - most)).sum())
}

/// The probabilities of the tags of each unit, and of two tags in a row.
struct Odds {
    tags: Vec<[f32; TAGS]>,
    pairs: Vec<[[f32; TAGS]; TAGS]>,
}

impl Model {
    /// A model that has learnt nothing, and the features that are frequent enough in the examples.
    fn new(examples: &[Example], arguments: &Arguments) -> (Self, Vec<bool>) {
        let model = Self {
            weights: vec![[Weight::default(); WEIGHED]; 1 << BITS],
            steps: vec![Weight::default(); GAPS * TAGS * TAGS],
            read: 0,
            random: Random(20_261_124),
        };
        let used: Vec<bool> = counts(examples).iter().map(|count| *count >= arguments.least).collect();
        let units: usize = examples.iter().map(|example| example.ends.len()).sum();
        println!(
            "{} regions, {units} units, {} features",
            examples.len(),
            used.iter().filter(|used| **used).count()
        );
        (model, used)
    }

    /// Keeps the features that change the most scores by the most.
    fn prune(&mut self, examples: &[Example], mut used: Vec<bool>, keep: usize) -> Vec<bool> {
        let counts = counts(examples);
        let energy = |feature: usize| {
            let squares: f32 = self.weights[feature].iter().map(|weight| weight.value * weight.value).sum();
            squares * (counts[feature] as f32).sqrt()
        };
        let mut ranked: Vec<usize> = (0..used.len()).filter(|feature| used[*feature]).collect();
        ranked.sort_by(|one, two| energy(*two).total_cmp(&energy(*one)));
        ranked.iter().skip(keep).for_each(|feature| used[*feature] = false);
        for (weights, used) in self.weights.iter_mut().zip(&used) {
            if !used {
                *weights = [Weight::default(); WEIGHED];
            }
        }
        println!("kept {} features", used.iter().filter(|used| **used).count());
        used
    }

    /// The weights in steps, as the judge reads them.
    fn written(&self) -> Learnt {
        let quantised = |weight: &Weight| {
            ((weight.value * STEPS as f32).round().clamp(-127.0, 127.0) as i8).cast_unsigned()
        };
        let mut learnt = Learnt { present: vec![0; (1 << BITS) / 8], ..Learnt::default() };
        for (feature, weights) in self.weights.iter().enumerate() {
            let steps = weights.each_ref().map(quantised);
            if steps != [0; WEIGHED] {
                learnt.present[feature / 8] |= 1 << (feature % 8);
                learnt.weights.extend(steps);
            }
        }
        learnt.set_pairs(self.steps.iter().map(quantised).collect());
        learnt.settle();
        println!("{} features with weights in steps", learnt.weights.len() / WEIGHED);
        learnt
    }

    fn transition(&self, gap: u8, from: usize, to: usize) -> f32 {
        if to == Tag::Inside as usize && from != Tag::Begin as usize && from != Tag::Inside as usize {
            return f32::NEG_INFINITY;
        }
        self.steps[(usize::from(gap) * TAGS + from) * TAGS + to].value
    }

    fn scores(&self, example: &Example, dropped: Dropped) -> Vec<[f32; TAGS]> {
        let mut start = 0;
        let of = |end: &u32| {
            let mut scores = [0.0; TAGS];
            for feature in &example.features[start..*end as usize] {
                if dropped.has(*feature) {
                    continue;
                }
                let weights = &self.weights[*feature as usize];
                for (score, weight) in scores.iter_mut().skip(1).zip(weights) {
                    *score += weight.value * dropped.factor();
                }
            }
            start = *end as usize;
            scores
        };
        example.ends.iter().map(of).collect()
    }

    /// The probabilities of all tags that are allowed.
    fn odds(&self, scores: &[[f32; TAGS]], gaps: &[u8], allowed: &[u8]) -> Odds {
        let len = scores.len();
        let mut forward: Vec<[f32; TAGS]> = Vec::with_capacity(len);
        let none = [f32::NEG_INFINITY; TAGS];
        let mut last = none;
        last[0] = 0.0;
        for at in 0..len {
            let mut now = none;
            for (to, now) in now.iter_mut().enumerate() {
                if allowed[at] >> to & 1 == 1 {
                    let mut from = none;
                    for (tag, value) in from.iter_mut().enumerate() {
                        *value = last[tag] + self.transition(gaps[at], tag, to);
                    }
                    *now = sum_exp(from) + scores[at][to];
                }
            }
            forward.push(now);
            last = now;
        }
        let total = sum_exp(last);
        let mut after = [0.0; TAGS];
        let mut odds = Odds { tags: vec![[0.0; TAGS]; len], pairs: vec![[[0.0; TAGS]; TAGS]; len] };
        for at in (0..len).rev() {
            for tag in 0..TAGS {
                odds.tags[at][tag] = expf(forward[at][tag] + after[tag] - total);
            }
            let mut before = none;
            let first = {
                let mut first = none;
                first[0] = 0.0;
                first
            };
            let previous = if at == 0 { &first } else { &forward[at - 1] };
            for from in 0..TAGS {
                let mut to_all = none;
                for to in 0..TAGS {
                    if allowed[at] >> to & 1 == 1 {
                        let rest = self.transition(gaps[at], from, to) + scores[at][to] + after[to];
                        to_all[to] = rest;
                        odds.pairs[at][from][to] = expf(previous[from] + rest - total);
                    }
                }
                before[from] = sum_exp(to_all);
            }
            after = before;
        }
        odds
    }

    /// Reads the examples in several random orders, two at a time, and takes the mean of what they teach: with another order
    /// alone, F1 is up to .005 higher or lower.
    fn read_in_orders(&mut self, examples: &[Example], arguments: &Arguments, times: usize, used: &[bool]) {
        let seed = self.random.0;
        let start = &*self;
        let read = |seed: u64| {
            let mut model = start.clone();
            model.random = Random(seed);
            model.read(examples, arguments, times, used);
            model
        };
        let models = (0..arguments.pairs_of_orders).flat_map(|pair| {
            let seed = seed.rotate_left(8 * pair);
            thread::scope(|threads| {
                let other = threads.spawn(move || read(!seed));
                [read(seed), other.join().unwrap_or_else(|panic| resume_unwind(panic))]
            })
        });
        let Some(mut mean) = models.reduce(|mut sum, other| {
            for (weight, other) in sum.all_weights().zip(other.weights.iter().flatten().chain(&other.steps)) {
                weight.value += other.value;
                weight.square += other.square;
            }
            sum
        }) else {
            return;
        };
        let orders = (2 * arguments.pairs_of_orders) as f32;
        for weight in mean.all_weights() {
            weight.value /= orders;
            weight.square /= orders;
        }
        *self = mean;
    }

    /// Returns the weights of the features and of two tags in a row.
    fn all_weights(&mut self) -> impl Iterator<Item = &mut Weight> {
        self.weights.iter_mut().flatten().chain(&mut self.steps)
    }

    /// Reads all examples several times, in random order.
    fn read(&mut self, examples: &[Example], arguments: &Arguments, times: usize, used: &[bool]) {
        let mut order: Vec<usize> = (0..examples.len()).collect();
        for time in 0..times {
            if time + arguments.averaged.min(times) == times {
                self.read = 0;
                self.all_weights().for_each(Weight::forget);
            }
            for at in (1..order.len()).rev() {
                let other = self.random.below(at + 1);
                order.swap(at, other);
            }
            for at in &order {
                self.learn(
                    &examples[*at],
                    arguments.rate,
                    arguments.penalty,
                    used,
                    arguments.drop,
                    arguments.blind,
                );
            }
            let count = self.weights.iter().flatten().filter(|weight| weight.value != 0.0).count();
            println!("read {time}: {count} weights");
        }
        if arguments.averaged > 0 {
            let read = self.read;
            self.weights.iter_mut().flatten().chain(&mut self.steps).for_each(|weight| weight.settle(read));
        }
    }

    /// One step of the gradient.
    fn learn(&mut self, example: &Example, rate: f32, penalty: f32, used: &[bool], share: f32, blind: f32) {
        let dropped = {
            let salt = self.random.below(1 << 30) as u32;
            let letters = self.random.below(1 << 16) < (blind * 65_536.0) as usize;
            Dropped { salt, share, letters }
        };
        let scores = self.scores(example, dropped);
        let all = vec![ANY; scores.len()];
        let free = self.odds(&scores, &example.gaps, &all);
        let gold = self.odds(&scores, &example.gaps, &example.allowed);
        let mut start = 0;
        for (at, end) in example.ends.iter().enumerate() {
            let mut gradient = [0.0; WEIGHED];
            for (tag, value) in gradient.iter_mut().enumerate() {
                *value = free.tags[at][tag + 1] - gold.tags[at][tag + 1];
            }
            if gradient.iter().any(|value| value.abs() > 1e-4) {
                for feature in &example.features[start..*end as usize] {
                    let feature = *feature as usize;
                    if !used[feature] || dropped.has(feature as u32) {
                        continue;
                    }
                    for (weight, gradient) in self.weights[feature].iter_mut().zip(gradient) {
                        weight.step(gradient, rate, penalty, self.read);
                    }
                }
            }
            start = *end as usize;
            for from in 0..TAGS {
                for to in 0..TAGS {
                    let gradient = free.pairs[at][from][to] - gold.pairs[at][from][to];
                    if gradient.abs() > 1e-4 {
                        let place = (usize::from(example.gaps[at]) * TAGS + from) * TAGS + to;
                        self.steps[place].step(gradient, rate, 0.0, self.read);
                    }
                }
            }
        }
        self.read += 1;
    }
}

/// Counts the occurrences of each feature.
fn counts(examples: &[Example]) -> Vec<u32> {
    let mut counts = vec![0_u32; 1 << BITS];
    for example in examples {
        for feature in &example.features {
            counts[*feature as usize] += 1;
        }
    }
    counts
}

/// Features that one example is learnt without, so that no word is relied upon alone.
#[derive(Clone, Copy)]
struct Dropped {
    salt: u32,
    share: f32,
    /// All features of the words themselves.
    letters: bool,
}

impl Dropped {
    fn has(self, feature: u32) -> bool {
        // an even index: `judge::Of`
        if self.letters && feature & 1 == 0 {
            return true;
        }
        let hash = (feature ^ self.salt).wrapping_mul(0x9e37_79b1);
        let hash = (hash ^ hash >> 15).wrapping_mul(0x85eb_ca6b);
        ((hash >> 8) as f32) < self.share * (1 << 24) as f32
    }

    fn factor(self) -> f32 {
        1.0 / (1.0 - self.share)
    }
}

/// A generator of numbers that only has to shuffle.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most
    }
}

/// Learns the weights of a domain, and returns them as the judge reads them.
pub fn train(documents: &[Document], arguments: &Arguments) -> Learnt {
    let domain = arguments.domain();
    let documents = with_copies(documents, arguments);
    let (known, calibration) = jackknifed(&documents, arguments);
    let mut examples = Vec::new();
    for (Text { document, is_copy, .. }, known) in documents.iter().zip(&known) {
        let before = examples.len();
        self::examples(domain, document, &Known::default(), &mut examples);
        if document.negative && !is_copy {
            // few texts have no names: they count twice
            self::examples(domain, document, &Known::default(), &mut examples);
        }
        if *known != Known::default() {
            let first = examples.len();
            self::examples(domain, document, known, &mut examples);
            // most regions of a copy have no known word, and are the same again
            if *is_copy {
                let mut again = examples.split_off(first);
                again.retain(|example| !examples[before..first].contains(example));
                examples.extend(again);
            }
        }
    }
    let (mut model, used) = Model::new(&examples, arguments);
    model.read_in_orders(&examples, arguments, arguments.epochs, &used);
    let used = model.prune(&examples, used, arguments.keep);
    model.read_in_orders(&examples, arguments, arguments.more, &used);
    let mut learnt = model.written();
    learnt.calibration = calibration;
    if domain == Domain::Caseless {
        for ((start, _), rare) in learnt.calibration.iter_mut().zip(RARE) {
            *start -= rare;
        }
        learnt.ordinary = ordinary(&documents, &learnt.models(domain));
    }
    learnt
}

/// By how much names are rarer in texts without capitals than in the copies, which are of texts with many names: in passages
/// without capitals, with one at their beginning, and in capitals. In 1,024ths of a log-odds, chosen by the alarms on `dev/`. The
/// second number is large, because most texts with such passages have capitals in names, too.
const RARE: [i16; SCRIPTS] = [225, 2_580, 0];

/// The number of words that the judge takes for ordinary ones without reading their letters.
const WORDS: usize = 40_000;

/// The bits of the most frequent words that are no part of a name by their own features.
fn ordinary(documents: &[Text], models: &Models<'_>) -> Vec<u8> {
    let mut words = BTreeMap::<u32, (u32, bool)>::new();
    for Text { document, .. } in documents {
        training::own(models, &document.text, |word, may_be_name| {
            let (count, is_ordinary) = words.entry(word).or_insert((0, true));
            *count += 1;
            *is_ordinary &= !may_be_name;
        });
    }
    let mut ranked: Vec<(u32, u32)> =
        words.into_iter().filter(|(_, (_, is))| *is).map(|(word, (count, _))| (count, word)).collect();
    ranked.sort_unstable_by(|one, two| two.cmp(one));
    ranked.truncate(WORDS);
    let mut bits = vec![0; ORDINARY];
    for bit in ranked.iter().flat_map(|(_, word)| ordinary_bits(*word)) {
        bits[bit as usize / 8] |= 1 << (bit % 8);
    }
    println!("{} ordinary words, the rarest {} times", ranked.len(), ranked.last().map_or(0, |word| word.0));
    bits
}

/// A document, or a copy of it in another letter case.
struct Text {
    document: Document,
    /// The number of the document.
    number: usize,
    is_copy: bool,
}

/// The documents, and for passages without capitals their copies in other letter cases.
fn with_copies(documents: &[Document], arguments: &Arguments) -> Vec<Text> {
    let mut random = Random(20_261_129);
    let mut all = Vec::new();
    let wanted = documents.iter().filter(|document| !arguments.without.contains(&document.lang));
    for (number, document) in wanted.enumerate() {
        let copies = if arguments.case { case::drawn(document, &mut random) } else { Vec::new() };
        all.push(Text { document: document.clone(), number, is_copy: false });
        all.extend(copies.into_iter().map(|document| Text { document, number, is_copy: true }));
    }
    all
}

/// The names that are sure in each text, by a model that did not learn from it, and what its margins mean.
fn jackknifed(documents: &[Text], arguments: &Arguments) -> (Vec<Known>, Calibration) {
    let domain = arguments.domain();
    let mut known = vec![Known::default(); documents.len()];
    let mut margins = Margins::default();
    let is_of = |number: usize, fold: usize| number / RUN % FOLDS == fold;
    let learn = |fold| {
        let mut examples = Vec::new();
        for Text { document, number, .. } in documents {
            if !is_of(*number, fold) {
                self::examples(domain, document, &Known::default(), &mut examples);
            }
        }
        let (mut model, used) = Model::new(&examples, arguments);
        // each fold has a thread of its own
        model.read(&examples, arguments, arguments.epochs.div_ceil(2), &used);
        model.written()
    };
    let models = thread::scope(|threads| {
        let learning: Vec<_> = (0..FOLDS).map(|fold| threads.spawn(move || learn(fold))).collect();
        learning
            .into_iter()
            .map(|model| model.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect::<Vec<_>>()
    });
    for (fold, learnt) in models.iter().enumerate() {
        let models = learnt.models(domain);
        let of_fold = documents.iter().enumerate().filter(|(_, text)| is_of(text.number, fold));
        for (place, Text { document, .. }) in of_fold {
            known[place] = training::known(&models, domain, &document.text);
            margins.add(domain, document, &models);
        }
    }
    (known, margins.calibration())
}

/// The margins of stretches that were judged, and whether they are names.
#[derive(Default)]
struct Margins([Vec<(i32, bool)>; SCRIPTS + 1]);

impl Margins {
    fn add(&mut self, domain: Domain, document: &Document, models: &Models<'_>) {
        let [people, organizations, ignored] =
            ["person", "organization", "ignore"].map(|kind| document.spans(kind));
        for name in training::names(models, domain, &document.text, &Known::default(), BONUS) {
            let span = (name.start as usize, name.end as usize);
            if name.script.domain() != domain || covers(&ignored, &span) {
                continue;
            }
            if name.tag.is_person() {
                self.0[name.script.line()].push((name.margin, covers(&people, &span)));
            } else if name.tag == Tag::Organization && labels_all(document) {
                self.0[ORGANIZATIONS].push((name.margin, covers(&organizations, &span)));
            }
        }
    }

    /// The lines of log-odds that make what is known likeliest.
    fn calibration(&self) -> Calibration {
        self.0.each_ref().map(|margins| {
            let (mut start, mut slope) = (0.0_f64, 0.1_f64);
            for _ in 0..50 {
                // Newton's method
                let (mut gradient, mut curve) = ([0.0; 2], [0.0; 3]);
                for (margin, is) in margins {
                    let margin = f64::from((*margin).clamp(-100, 100));
                    let odds = 1.0 / (1.0 + exp(-(start + slope * margin)));
                    let (error, weight) = (f64::from(*is) - odds, odds * (1.0 - odds) + 1e-9);
                    gradient[0] += error;
                    gradient[1] += error * margin;
                    curve[0] += weight;
                    curve[1] += weight * margin;
                    curve[2] += weight * margin * margin;
                }
                let determinant = curve[0] * curve[2] - curve[1] * curve[1];
                if determinant <= 0.0 {
                    break;
                }
                start += (curve[2] * gradient[0] - curve[1] * gradient[1]) / determinant;
                slope += (curve[0] * gradient[1] - curve[1] * gradient[0]) / determinant;
            }
            println!("of {} stretches: log-odds {start:.3} + {slope:.4} a step", margins.len());
            ((start * 1024.0) as i16, (slope * 1024.0) as i16)
        })
    }
}
