//! The messages of pairs within a distance.

messages! {
    distance_of_coordinates(name: &str): "a distance of `{name}` cannot depend on a coordinate",
        help: "it is fixed when the model is bound; use only parameters and loop variables here, and an `if` inside of the sum for a range that varies";
    switch_out_of_order(on: f64, off: f64): "`switched` begins to fall at {on} and has to end behind it, not at {off}",
        help: "its arguments are the distance, where it begins to fall from 1, and where it is 0: `switched(d.norm(), on, off)` with on < off";
    near_argument_of_coordinates(): "a cell, an exception or the number of a point cannot depend on a coordinate",
        help: "they are fixed when the model is bound; use only parameters and loop variables here";
    points_of_another_array(name: &str): "the points of `{name}` are an array of `Vec2` or of `Vec3`, and this is another array",
        help: "pass a coordinate such as `atoms: [Vec3; self.atoms]`, or entries of one: `each(self.oxygens.iter(), |&k| atoms[k])`";
    points_of_parameters(name: &str): "the points of `{name}` are an array of coordinates, and this does not depend on any",
        help: "pass a coordinate such as `atoms: [Vec3; self.atoms]`, or entries of one: `each(self.oxygens.iter(), |&k| atoms[k])`";
    points_of_a_shape(name: &str, shape: &str): "the points of `{name}` are an array of `Vec2` or of `Vec3`, not `{shape}`",
        help: "pass a coordinate such as `atoms: [Vec3; self.atoms]`, or entries of one: `each(self.oxygens.iter(), |&k| atoms[k])`";
    points_that_choose(): "a point of these pairs is a sum or a choice, and not one place",
        help: "pass entries of a coordinate: `each(self.oxygens.iter(), |&k| atoms[k])`";
    points_of_two_dimensions(): "the points of both arrays are of the plane, or both of space";
    unknown_method_of_neighbours(name: &str): "the neighbours of a point have no method `{name}`",
        help: "write `.periodic(cell)` and `.except(pairs)` before `.of(i)`, and sum over it: `sum(near.of(i), |(j, d)| …)`";
    unknown_method_of_near_pairs(name: &str): "pairs that are near have no method `{name}`",
        help: "there are `.periodic(self.cell)`, `.except(self.bonds.iter().copied())` and `.of(i)`; sum over them with `sum(near, |(i, j, d)| …)`";
    second_cell(): "these pairs have a cell already";
    pattern_of_neighbours(): "the neighbours of a point are met as `(j, d)`",
        help: "write `sum(near.of(i), |(j, d)| …)`: j is the number of a neighbour, and d the vector from it to point i";
    pattern_of_near_pairs(): "pairs that are near are met as `(i, j, d)`",
        help: "write `sum(near, |(i, j, d)| …)`: i and j are the numbers of the points, and d the vector from j to i";
    each_of_near(): "the pairs that are near change with the coordinates, and make no array",
        help: "write `sum` over them; a sum for each point is `each(0..n, |i| sum(near.of(i), |(j, d)| …))`";
    nested_near(): "a sum over near points stands inside of another",
        help: "write the inner sum as a value of each point, before: `let moments = each(0..n, |i| sum(near.of(i), |(j, d)| …))`; a three-body term with a \
         polynomial of the cosine is made of such moments: Σⱼₖ f f (u·u)² is the square of Σⱼ f u ⊗ u";
    expected_function(name: &str): "the third argument of `{name}` is a function of the distance",
        help: "write a closure: `{name}(d.norm(), self.cutoff, |r| 1.0 / r)`";
}
