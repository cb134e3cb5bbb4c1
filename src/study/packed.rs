//! Integers as text, few characters for small ones: five bits per character, the sixth flags a continuation.

/// One character for each six-bit value.
const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Payload bits per character.
const BITS: u32 = 5;
/// Set if more characters follow.
const MORE: u8 = 1 << BITS;

/// Writes numbers.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    text: String,
}

impl Packer {
    /// Adds a number.
    pub fn number(&mut self, mut number: u128) {
        loop {
            let low = (number as u8) & (MORE - 1);
            number >>= BITS;
            let symbol = if number > 0 { low | MORE } else { low };
            self.text.push(char::from(SYMBOLS[usize::from(symbol)]));
            if number == 0 {
                return;
            }
        }
    }

    /// Adds a signed number: twice its magnitude, odd for negative ones.
    pub fn signed(&mut self, number: i128) {
        self.number((number.unsigned_abs() << 1) | u128::from(number < 0));
    }

    /// The text.
    pub fn text(self) -> String {
        self.text
    }
}

/// Reads numbers; `None` at the end of the text and where it is not output of a [`Packer`].
#[derive(Debug)]
pub(crate) struct Unpacker<'a> {
    symbols: std::slice::Iter<'a, u8>,
}

impl<'a> Unpacker<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { symbols: text.as_bytes().iter() }
    }

    /// The next number.
    pub fn number(&mut self) -> Option<u128> {
        let mut number = 0_u128;
        let mut shift = 0;
        loop {
            let symbol = *self.symbols.next()?;
            let value = match symbol {
                b'A'..=b'Z' => symbol - b'A',
                b'a'..=b'z' => symbol - b'a' + 26,
                b'0'..=b'9' => symbol - b'0' + 52,
                b'-' => 62,
                b'_' => 63,
                _ => return None,
            };
            let bits = u128::from(value & (MORE - 1));
            let shifted = bits.checked_shl(shift)?;
            if shifted >> shift != bits {
                return None;
            }
            number |= shifted;
            shift += BITS;
            if value & MORE == 0 {
                return Some(number);
            }
        }
    }

    /// The next number, if it fits 64 bits.
    pub fn count(&mut self) -> Option<u64> {
        self.number()?.try_into().ok()
    }

    /// The next signed number.
    pub fn signed(&mut self) -> Option<i128> {
        let number = self.number()?;
        let magnitude = (number >> 1) as i128;
        Some(if number & 1 == 1 { -magnitude } else { magnitude })
    }

    /// Whether all of the text was read.
    pub fn is_done(&self) -> bool {
        self.symbols.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_take_one_character_and_the_largest_comes_back() {
        let mut packer = Packer::default();
        for number in [0, 31, 32, u128::MAX] {
            packer.number(number);
        }
        packer.signed(-1);
        let text = packer.text();
        assert_eq!(text.len(), 1 + 1 + 2 + 26 + 1);
        let mut unpacker = Unpacker::new(&text);
        assert_eq!([0; 4].map(|_| unpacker.number()), [0, 31, 32, u128::MAX].map(Some));
        assert_eq!(unpacker.signed(), Some(-1));
        assert!(unpacker.is_done() && unpacker.number().is_none());
    }

    #[test]
    fn what_no_packer_writes_is_refused() {
        for text in ["", "=", "_", "____________________________________A", "é"] {
            assert_eq!(Unpacker::new(text).number(), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers: Vec<u128>, shift in 0..120_u32, signed in any::<i64>()) {
            let mut packer = Packer::default();
            for number in &numbers {
                packer.number(number >> shift);
            }
            packer.signed(i128::from(signed));
            let text = packer.text();
            let mut unpacker = Unpacker::new(&text);
            for number in &numbers {
                prop_assert_eq!(unpacker.number(), Some(number >> shift));
            }
            prop_assert_eq!(unpacker.signed(), Some(i128::from(signed)));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            let mut unpacker = Unpacker::new(&text);
            while unpacker.signed().is_some() {}
        }
    }
}
