//! The values of Arrow arrays of any type that has a place in a kind of column.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::DataType;

/// Numbers of integers and floats, as near as an f64 can be.
pub(super) fn numbers(array: &ArrayRef) -> Vec<Option<f64>> {
    looked_up(array, &|plain| match plain.data_type() {
        DataType::Float64 => primitives::<Float64Type, _>(plain, |value| value),
        DataType::Float32 => primitives::<Float32Type, _>(plain, f64::from),
        DataType::Float16 => primitives::<Float16Type, _>(plain, f64::from),
        _ => whole_numbers(plain).into_iter().map(|value| value.map(|value| value as f64)).collect(),
    })
}

/// Integers, those of 64 bits without sign included.
pub(super) fn integers(array: &ArrayRef) -> Vec<Option<i128>> {
    looked_up(array, &whole_numbers)
}

/// Texts.
pub(super) fn texts(array: &ArrayRef) -> Vec<Option<String>> {
    looked_up(array, &|plain| {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        match plain.data_type() {
            DataType::Utf8 => plain.as_string::<i32>().iter().map(owned).collect(),
            DataType::LargeUtf8 => plain.as_string::<i64>().iter().map(owned).collect(),
            DataType::Utf8View => plain.as_string_view().iter().map(owned).collect(),
            _ => nothing(plain),
        }
    })
}

fn whole_numbers(array: &ArrayRef) -> Vec<Option<i128>> {
    match array.data_type() {
        DataType::Int8 => primitives::<Int8Type, _>(array, i128::from),
        DataType::Int16 => primitives::<Int16Type, _>(array, i128::from),
        DataType::Int32 => primitives::<Int32Type, _>(array, i128::from),
        DataType::Int64 => primitives::<Int64Type, _>(array, i128::from),
        DataType::UInt8 => primitives::<UInt8Type, _>(array, i128::from),
        DataType::UInt16 => primitives::<UInt16Type, _>(array, i128::from),
        DataType::UInt32 => primitives::<UInt32Type, _>(array, i128::from),
        DataType::UInt64 => primitives::<UInt64Type, _>(array, i128::from),
        _ => nothing(array),
    }
}

fn primitives<A: ArrowPrimitiveType, T>(array: &ArrayRef, value: impl Fn(A::Native) -> T) -> Vec<Option<T>> {
    array.as_primitive::<A>().iter().map(|native| native.map(&value)).collect()
}

/// Of columns without values, and of types that were refused before.
fn nothing<T>(array: &ArrayRef) -> Vec<Option<T>> {
    (0..array.len()).map(|_| None).collect()
}

/// The values of an array, or of the dictionary that it points into.
fn looked_up<T: Clone>(array: &ArrayRef, plain: &impl Fn(&ArrayRef) -> Vec<Option<T>>) -> Vec<Option<T>> {
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        return plain(array);
    };
    let values = looked_up(dictionary.values(), plain);
    if values.is_empty() {
        return nothing(array);
    }
    let keys = dictionary.normalized_keys().into_iter().enumerate();
    keys.map(|(row, key)| if dictionary.is_null(row) { None } else { values.get(key).cloned().flatten() }).collect()
}
